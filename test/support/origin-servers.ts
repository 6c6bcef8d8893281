import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';

/** Gives the file of a path without leading slash, or undefined. */
export type Content = (path: string) => string | Uint8Array | undefined;

/** A media server of its own address, playing what it is given to publish. */
export type OriginServer = {
  /** Without trailing slash. */
  readonly url: string;
  readonly requests: readonly {
    readonly at: number;
    readonly path: string;
    readonly userAgent: string;
  }[];
  /** From now on every path is 404: the stream has stopped here. */
  stopStream(): void;
  restoreStream(): void;
  /** From now on it takes requests and never answers one. */
  hang(): void;
  /** Refuses and resets connections, as a machine does whose server has died. */
  close(): Promise<void>;
};

const types: Readonly<Record<string, string>> = {
  m3u8: 'application/vnd.apple.mpegurl',
  ts: 'video/mp2t',
};

/** Publishes the files of a folder, as they are at the time of the request. */
export function folderContent(folder: string): Content {
  return (path) => {
    if (path.includes('/') || path.startsWith('.')) return undefined;
    try {
      return readFileSync(join(folder, path));
    } catch {
      return undefined;
    }
  };
}

/** Serves `content` at `host`, on any port that is free unless one is given. */
export async function startOrigin(
  host: string,
  content: Content,
  wantedPort = 0,
): Promise<OriginServer> {
  let isStopped = false;
  let isHanging = false;
  const requests: { at: number; path: string; userAgent: string }[] = [];
  const app = new Hono();
  app.get('*', async ({ req, body }) => {
    const path = req.path.slice(1);
    requests.push({ at: Date.now(), path, userAgent: req.header('User-Agent') ?? '' });
    if (isHanging) await new Promise(() => undefined);
    const file = isStopped ? undefined : content(path);
    const headers = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-cache' };
    if (file === undefined) return body(null, 404, headers);
    const type = types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    return body(Uint8Array.from(Buffer.from(file)), 200, { ...headers, 'Content-Type': type });
  });
  const server = createAdaptorServer({ fetch: app.fetch });
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wantedPort, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : wantedPort);
    });
  });
  return {
    url: `http://${host}:${port}`,
    requests,
    stopStream() {
      isStopped = true;
    },
    restoreStream() {
      isStopped = false;
    },
    hang() {
      isHanging = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
