/**
 * What the main process says of an answer to a worker that passes it on: whose it is, and whether it may be given again
 * by the worker itself, until it is called over ({@link Word}).
 */
export type Repeat = {
  /** Number of the last word when this was said. */
  readonly seq: number;
  /** What was served: the same text for the same playlist or segment, whatever is in it now. Absent: not to be repeated. */
  readonly what?: string | undefined;
  /** Session that it was served to; absent: to anybody. */
  readonly who?: string | undefined;
  /** Another text by which the session may be called over. */
  readonly alias?: string | undefined;
  /** Stream that the session watches. */
  readonly stream?: string | undefined;
  /** `Viewer.key` where the session holds a login's slot. */
  readonly viewerKey?: string | undefined;
};

/** What is not to be repeated any more. */
type Over = {
  /** Everything. */
  readonly all: boolean;
  readonly what: readonly string[];
  readonly who: readonly string[];
};

/** The main process to its workers, in order and at least every 50 ms. */
export type Word = {
  /** One higher whenever something is over. */
  readonly seq: number;
  readonly over: Over;
  /** Viewers are being moved off this node: for how long already, and over what time. */
  readonly move?: { readonly ageMs: number; readonly overMs: number } | undefined;
};

/** A worker to the main process: what it has answered by itself since its last report. */
export type Report = {
  /** Session, its stream and, where it holds a login's slot, `Viewer.key`. */
  readonly seen: readonly (readonly [who: string, stream: string, viewerKey?: string])[];
  /** Bytes sent to sessions. */
  readonly sent: readonly (readonly [who: string, bytes: number])[];
  readonly answered: readonly (readonly [
    kind: 'playlist' | 'file',
    reason: string,
    count: number,
  ])[];
};
