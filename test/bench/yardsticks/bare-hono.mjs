// The yardstick: hono with one route that gives the same bytes and decides nothing; and one that signs two passes with jose.
import { readFileSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { SignJWT } from 'jose';

const { TLS_CERT, TLS_KEY, SECRET = '', CLAIMS = '{}' } = process.env;
const claims = JSON.parse(CLAIMS);
const key = await crypto.subtle.importKey(
  'raw',
  Buffer.from(SECRET.padEnd(32, '.')),
  { name: 'HMAC', hash: 'SHA-256' },
  false,
  ['sign'],
);
const type = 'application/vnd.apple.mpegurl';
const bodies = {};
/** Of the multivariant playlist, cut where passes stand. */
let pieces = [];

const app = new Hono();
const answer = (body) =>
  new Response(body, { headers: { 'content-type': type, 'cache-control': 'private, no-store' } });
app.get('/bytes/:name', (context) => answer(bodies[context.req.param('name')]));
app.get('/signed', async () => {
  const sign = (aud) =>
    new SignJWT({ ...claims, aud, sub: crypto.randomUUID() })
      .setProtectedHeader({ alg: 'HS256', typ: 'pass+jwt', kid: '1-key' })
      .sign(key);
  const passes = [await sign(['b']), await sign(['c'])];
  return answer(pieces.reduce((text, piece, at) => text + passes[at % 2] + piece));
});
app.get('/redirect', (context) => context.redirect('http://node-b.example.net/ch1/index.m3u8'));
app.get('/missing', (context) => context.body('no', 404));

process.on('message', ({ name, body }) => {
  bodies[name] = body;
  if (name === 'multivariant') pieces = body.split(/(?<=pass=)[\w.-]+/);
  process.send({ stored: name });
});
const tls = TLS_CERT && {
  createServer: createSecureServer,
  serverOptions: { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) },
};
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0, ...tls }, ({ port }) =>
  process.send({ port }),
);
