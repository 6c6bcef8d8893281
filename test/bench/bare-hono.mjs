// The yardstick: hono with one route that gives the same bytes and decides nothing.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const bodies = {};
const app = new Hono();
app.get('/bytes/:name', (context) => {
  const { body, type } = bodies[context.req.param('name')];
  return new Response(body, {
    headers: { 'content-type': type, 'cache-control': 'private, no-store' },
  });
});
app.get('/redirect', (context) => context.redirect('http://node-b.example.net/ch1/index.m3u8'));
app.get('/missing', (context) => context.body('no', 404));

process.on('message', ({ name, body, type }) => {
  bodies[name] = { body, type };
  process.send({ stored: name });
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => process.send({ port }));
