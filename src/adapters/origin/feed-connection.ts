/** What a connection tells. */
type FeedSink = {
  bytes(piece: Uint8Array): void;
  /** It goes on by itself. */
  paused(text: string): void;
  /** It is of no use any more: it is to be stopped, and a new one made after a while. */
  lost(text: string): void;
};

/** Begins to receive; the answer stops it. What it tells after that does not count. */
export type FeedConnection = (sink: FeedSink) => () => void;
