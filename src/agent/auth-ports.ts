/** The outside world of viewer authentication; see `ports.ts`. */
import type { Now } from '../core/time.ts';

/** A viewer who opens a stream, as far as it matters to whoever decides. */
export type AuthQuestion = {
  /** What the viewer brought; a secret of the viewer's. */
  readonly token: string;
  /** IP address of the viewer. */
  readonly address: string;
  /** Name of the stream as asked for. */
  readonly stream: string;
  readonly protocol: 'hls' | 'dash';
  /** Id of the session that begins. */
  readonly session: string;
  readonly userAgent?: string | undefined;
};

/** `validS`: how long the answer holds, seconds; absent: as long as configured. `cause` holds no secret. */
export type AuthAnswer =
  | {
      readonly kind: 'granted';
      readonly login?: string | undefined;
      /** Most sessions of the login at once; absent: any number. */
      readonly sessionsMax?: number | undefined;
      readonly validS?: number | undefined;
    }
  | { readonly kind: 'denied' }
  | { readonly kind: 'unavailable'; readonly cause: string };

/** Decides whether a viewer may watch. Never rejects; settles within its deadline. */
export type ViewerAuthority = { ask(question: AuthQuestion, now: Now): Promise<AuthAnswer> };

/** Longest token that is looked at, characters. */
export const tokenLengthMax = 2_048;

/** Longest login, characters: it has to fit into a pass. */
export const loginLengthMax = 200;
