import { createHash } from 'node:crypto';
import { AgentError } from '../../core/errors.ts';
import type { StreamConfig } from '../../core/stream/stream.ts';

/**
 * The version of a stream's settings as an ETag (RFC 9110 8.8.3): equal settings have equal ones, on every node and
 * after a restart. What the node sees of the stream is no part of it.
 */
export function versionOf(stream: StreamConfig): string {
  const text = JSON.stringify(stream, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? sorted(value) : value,
  );
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}

/**
 * Refuses a change whose condition does not hold for the stream that is there now, if any: so that nobody overwrites
 * what he has not seen (RFC 9110 13.1).
 * @throws precondition_failed
 */
export function assertVersion(
  conditions: { readonly 'if-match'?: string | undefined; 'if-none-match'?: string | undefined },
  current: StreamConfig | undefined,
): void {
  const { 'if-match': match, 'if-none-match': noneMatch } = conditions;
  if (match !== undefined && !names(match, current))
    throw new AgentError(
      'precondition_failed',
      current === undefined ? 'there is no such stream' : 'somebody has changed the stream since',
    );
  if (noneMatch !== undefined && names(noneMatch, current))
    throw new AgentError('precondition_failed', 'there is such a stream already');
}

function names(list: string, current: StreamConfig | undefined): boolean {
  if (current === undefined) return false;
  return list.trim() === '*' || list.split(',').some((tag) => tag.trim() === versionOf(current));
}

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
