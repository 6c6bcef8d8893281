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

/** A viewer's GET of a playlist or MPD, as a worker asks the main process about it. */
export type Ask = {
  /** By which its reply is known; of this worker process only. */
  readonly id: number;
  /** Path with its slash, and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
};

/** What the worker is to answer. */
export type Reply = { readonly id: number } & (
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** Names and values in turn. */
      readonly headers: readonly string[];
      readonly body?: string | Uint8Array | undefined;
      /** Of the body as UTF-8. */
      readonly bytes: number;
      readonly repeat?: Repeat | undefined;
    }
  /** It is a file: these are passed on as they stream. */
  | { readonly kind: 'file' }
  /** The connection is closed without a word. */
  | { readonly kind: 'cut' }
);

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
