import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { createTestChannel, loadClip } from './test-channel.ts';

const playlistType = 'application/vnd.apple.mpegurl';
const segmentPattern = /^(\d{1,10})\.ts$/;

/** Where something listens. */
export type ListenAddress = { readonly host: string; readonly port: number };

/** The test channel over HTTP: an origin with `index.m3u8` as its entry. */
export function createChannelApp(): Hono {
  const channel = createTestChannel(loadClip());
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    context.header('Access-Control-Allow-Origin', '*');
    context.header('Cache-Control', 'no-cache');
  });
  app.get('/index.m3u8', ({ body }) =>
    body(channel.multivariantPlaylist(), 200, { 'Content-Type': playlistType }),
  );
  app.get('/video.m3u8', ({ body }) =>
    body(channel.mediaPlaylist(Date.now()), 200, { 'Content-Type': playlistType }),
  );
  app.get('/:name', (context) => {
    const number = segmentPattern.exec(context.req.param('name'))?.[1];
    const segment = number && channel.segment(Number(number), Date.now());
    if (!segment) return context.notFound();
    return context.body(new Uint8Array(segment), 200, { 'Content-Type': 'video/mp2t' });
  });
  return app;
}

/**
 * Serves `app` and resolves with where it listens: port 0 has become a port.
 * @throws the system's error, `EADDRINUSE` when the port is taken.
 */
export function serveApp(
  app: Hono,
  { host, port }: ListenAddress,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const close = () =>
        new Promise<void>((closed) => {
          server.close(() => closed());
          server.closeAllConnections();
        });
      resolve({ port: (server.address() as AddressInfo).port, close });
    });
  });
}
