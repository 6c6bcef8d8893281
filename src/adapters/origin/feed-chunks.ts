/** Most that one chunk holds, bytes, but for a piece that is larger by itself. */
const chunkBytesMax = 128 * 1024;
/** Longest that a piece waits for others, ms. */
const waitMsMax = 40;

export type FeedChunks = {
  add(piece: Uint8Array): void;
  /** Gives what waits. */
  flush(): void;
};

/** Joins pieces, which are copied, so that whoever reads them is not called for every datagram. */
export function createFeedChunks(give: (chunk: Uint8Array) => void): FeedChunks {
  const waiting = Buffer.allocUnsafeSlow(chunkBytesMax);
  let length = 0;
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (length === 0) return;
    const chunk = new Uint8Array(waiting.subarray(0, length));
    length = 0;
    give(chunk);
  };
  return {
    add(piece) {
      if (length + piece.length > chunkBytesMax) flush();
      if (piece.length > chunkBytesMax) return give(new Uint8Array(piece));
      waiting.set(piece, length);
      length += piece.length;
      if (length > 0) timer ??= setTimeout(flush, waitMsMax);
    },
    flush,
  };
}
