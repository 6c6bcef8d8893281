/** Nodes are told apart by one of so many numbers, */
const nodeNumbers = 1_000;
/** and so many discontinuities of a period have numbers of that node only. */
const discontinuitiesEach = 100;

/** Runs of clones, see `RecordedStream`. */
const sharedRun = /^c\d+$/;

/**
 * EXT-X-DISCONTINUITY-SEQUENCE of a period's playlist. Players take what has one number to have one timeline, whichever
 * node's playlist it is in (RFC 8216, 6.2.4): hls.js and Media3 keep the offset of its timestamps. So a node has numbers
 * of its own, the same for all its rungs, but for the segments that all members have: those have the same breaks
 * everywhere.
 */
export function discontinuityBase(node: string, firstRun: string): number {
  if (sharedRun.test(firstRun)) return 0;
  let hash = 0x811c9dc5;
  for (let at = 0; at < node.length; at += 1)
    hash = Math.imul(hash ^ node.charCodeAt(at), 0x01000193) >>> 0;
  return (1 + (hash % nodeNumbers)) * discontinuitiesEach;
}
