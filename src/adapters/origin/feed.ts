import { statSync } from 'node:fs';
import type { OpenFeed } from '../../agent/ports.ts';
import { isFeedEntry, isUdpEntry, localPath, readUdpFeed } from '../../core/stream/feed-entry.ts';
import { createFeedChunks } from './feed-chunks.ts';
import type { FeedConnection } from './feed-connection.ts';
import { connectFifo } from './fifo-feed.ts';
import { connectUdp } from './udp-feed.ts';

/** From a lost connection to the next attempt, ms. */
const retryMs = 1000;

/**
 * Opens a feed for good: what is lost is opened again. An entry that is no feed is told as a fault, and so is each cause
 * of a loss, once until something comes again. What `on` throws is told as a fault, too: it must not end the process.
 */
export const openFeed: OpenFeed = (entry, on) => {
  let stop: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let told: string | undefined;
  const tell = (text: string) => {
    if (isClosed || told === text) return;
    told = text;
    try {
      on.fault(text);
    } catch {
      // There is nobody else to tell.
    }
  };
  const chunks = createFeedChunks((chunk) => {
    if (isClosed) return;
    try {
      on.bytes(chunk);
    } catch (cause) {
      tell(`what came could not be read: ${String(cause)}`);
    }
  });

  const connect = (connection: FeedConnection) => {
    let isOver = false;
    let disconnect: (() => void) | undefined;
    stop = () => {
      isOver = true;
      disconnect?.();
      chunks.flush();
    };
    const lost = (text: string) => {
      if (isOver) return;
      stop();
      tell(text);
      if (!isClosed) timer = setTimeout(connect, retryMs, connection);
    };
    const bytes = (piece: Uint8Array) => {
      if (isOver) return;
      told = undefined;
      chunks.add(piece);
    };
    const paused = (text: string) => {
      if (isOver) return;
      chunks.flush();
      tell(text);
    };
    try {
      disconnect = connection({ bytes, paused, lost });
    } catch (cause) {
      lost(String(cause));
    }
    if (isOver) disconnect?.();
  };
  // Not before the caller has what it needs to close the feed again.
  timer = setTimeout(() => {
    const connection = connectionOf(entry);
    if (typeof connection === 'string') tell(connection);
    else connect(connection);
  }, 0);
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      stop();
    },
  };
};

/** Whether the agent packages the entry itself. Asks the file system about a path, not blocking on any FIFO. */
export function isFeed(entry: string): boolean {
  return isFeedEntry(entry, (path) => {
    try {
      return statSync(path).isFIFO();
    } catch {
      return false;
    }
  });
}

function connectionOf(entry: string): FeedConnection | string {
  if (isUdpEntry(entry)) {
    const feed = readUdpFeed(entry);
    return typeof feed === 'string' ? feed : connectUdp(feed);
  }
  const path = localPath(entry);
  return path === undefined ? 'must be a udp: URL or the path of a fifo' : connectFifo(path);
}
