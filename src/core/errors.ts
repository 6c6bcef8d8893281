/**
 * Every code of a fault that is thrown, with what it means to an operator; the same codes stand in problem bodies,
 * logs and `docs/api.md` (compared by a test). What the design expects is not here: that is a value with a reason code
 * (`reasons.ts`). A code is never reused for another meaning.
 */
export const errorTexts = {
  config_invalid: 'a setting or the streams file is wrong',
  store_failed: 'the database cannot be read or written',
  invalid: 'the request is malformed',
  unauthorized: 'the bearer token is missing or wrong',
  forbidden: 'the bearer token is good for reading only',
  too_many_attempts: 'too many wrong bearer tokens from this address',
  not_found: 'there is no such thing',
  method_not_allowed: 'the path knows no such method',
  conflict: 'the present state does not allow it',
  precondition_failed: 'the stream is not as the request says it should be',
  too_large: 'the request body is larger than the limit',
  unsupported_type: 'the request body is not JSON',
  not_ready: 'the node cannot serve yet',
  internal: 'the agent failed on this request',
} as const;

export type ErrorCode = keyof typeof errorTexts;

/**
 * A fault of the world or of what an operator asked for. `message` is one lower-case text an operator may read; it
 * never holds a pass, a key, a secret or a query string. Adapters turn foreign errors into this at their border.
 */
export class AgentError extends Error {
  override readonly name: string = 'AgentError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Wrong configuration, every fault at once: one line each, naming the variable or the list entry. */
export class ConfigError extends AgentError {
  readonly faults: readonly string[];

  constructor(title: string, faults: readonly string[]) {
    super('config_invalid', [`${title}:`, ...faults.map((fault) => `  ${fault}`)].join('\n'));
    this.faults = faults;
  }
}
