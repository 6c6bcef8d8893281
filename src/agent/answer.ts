import type { ReasonCode } from '../core/reasons.ts';
import type { OriginStream } from './ports.ts';
import type { StoredSegment } from './segments.ts';
import type { Repeat } from './worker-ports.ts';

/** What a viewer's request came to; the edge turns it into HTTP and decides nothing. */
export type Answer =
  | {
      readonly kind: 'playlist';
      readonly body: string | Uint8Array;
      readonly contentType: string;
      readonly reason: ReasonCode;
      /** Of a period: how much of it no node has, in seconds. */
      readonly missingS?: number | undefined;
      /** For the worker that passed the request on. */
      readonly repeat?: Repeat | undefined;
    }
  | {
      readonly kind: 'file';
      readonly file: OriginStream | StoredSegment;
      readonly immutable: boolean;
      readonly repeat?: Repeat | undefined;
    }
  | { readonly kind: 'redirect'; readonly location: string; readonly reason: ReasonCode }
  | { readonly kind: 'refusal'; readonly status: 400 | 403 | 404; readonly reason: ReasonCode }
  /** Nothing: the connection is closed. Only in a drill. */
  | { readonly kind: 'cut' };

/** "Not from this node, not now" is always 404: the one answer on which every player measured moves on (`docs/players.md`). */
export function notFromHere(reason: ReasonCode): Answer {
  return { kind: 'refusal', status: 404, reason };
}

/** What was asked cannot be meant. */
export function malformed(reason: ReasonCode): Answer {
  return { kind: 'refusal', status: 400, reason };
}

/** A real denial: pass or token is not good. That nobody can tell whether it is, is no denial. */
export function denied(reason: ReasonCode): Answer {
  return reason === 'auth-unavailable'
    ? notFromHere(reason)
    : { kind: 'refusal', status: 403, reason };
}
