import { STATUS_CODES } from 'node:http';
import { HTTPException } from 'hono/http-exception';
import type { Log } from '../../agent/ports.ts';
import { AgentError, type ErrorCode, errorTexts } from '../../core/errors.ts';

/** HTTP status of every fault. Viewers never see these: what a viewer is refused with is a reason, not a fault. */
const statuses = {
  config_invalid: 400,
  store_failed: 500,
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  too_many_attempts: 429,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_type: 415,
  not_ready: 503,
  internal: 500,
} as const satisfies Record<ErrorCode, number>;

/** What an HTTPException of the framework means here, by its status; anything else is a fault of the agent. */
const frameworkCodes: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid',
  404: 'not_found',
  413: 'too_large',
  415: 'unsupported_type',
};

/** RFC 9457 body of a fault. `faults` tells each wrong field by itself. */
export function problem(
  code: ErrorCode,
  options: {
    readonly detail?: string;
    readonly faults?: readonly string[];
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Response {
  const { detail = errorTexts[code], faults, headers } = options;
  const status = statuses[code];
  const body = { title: STATUS_CODES[status], status, code, detail, faults };
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, 'content-type': 'application/problem+json' },
  });
}

/** The answer to whatever was thrown. Faults of the agent itself are logged here, once, and not told in detail. */
export function problemOf(
  error: Error,
  request: { path: string; method: string },
  log: Log,
): Response {
  if (error instanceof HTTPException) {
    const code = frameworkCodes[error.status];
    if (code !== undefined) return problem(code);
  }
  const fault = error instanceof AgentError ? error : undefined;
  const code = fault?.code ?? 'internal';
  if (statuses[code] === 500) log.error('admin request failed', { ...request, cause: error });
  return problem(code, fault === undefined ? {} : { detail: fault.message });
}
