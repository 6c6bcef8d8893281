// What nginx asks by auth_request: whether the pass of a URL is good.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { SECRET } = process.env;

function isGood(url) {
  const pass = /[?&]pass=([\w-]+\.[\w-]+\.[\w-]+)/.exec(url)?.[1] ?? '..';
  const [head, payload, signature] = pass.split('.');
  const right = createHmac('sha256', SECRET).update(`${head}.${payload}`).digest('base64url');
  if (right.length !== signature.length) return false;
  if (!timingSafeEqual(Buffer.from(right), Buffer.from(signature))) return false;
  const claims = JSON.parse(Buffer.from(payload, 'base64url'));
  return claims.exp > Date.now() / 1000 && claims.aud.includes('a');
}

createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
  outgoing.writeHead(isGood(incoming.headers['x-original-uri'] ?? '') ? 204 : 403).end();
}).listen(0, '127.0.0.1', function listening() {
  process.send({ port: this.address().port });
});
