/**
 * `node --expose-gc test/bench/sessions.mjs` after a build: memory of 100,000 sessions with ids, logins and backups as they are in the
 * field, and what a request of one costs. Prints for `docs/performance.md`.
 */
import { randomBytes } from 'node:crypto';
import { Sessions } from '../../dist/agent/sessions.js';

const count = 100_000;
const now = (monoMs) => ({ wallMs: 1_800_000_000_000 + monoMs, monoMs });
const nodes = ['node-b', 'node-c', 'node-d', 'node-e'];

function start(withLogin) {
  const id = randomBytes(16).toString('base64url');
  const at = Math.floor(Math.random() * nodes.length);
  return {
    id,
    stream: `ch${Math.floor(Math.random() * 200)}`,
    kind: 'own',
    home: 'node-a',
    login: withLogin ? `viewer-${randomBytes(4).toString('hex')}` : undefined,
    family: 'browser',
    backups: [nodes[at], nodes[(at + 1) % nodes.length]],
    viewerKey: 'not kept',
  };
}

function bytesUsed() {
  for (let times = 0; times < 4; times += 1) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

for (const withLogin of [false, true]) {
  const before = bytesUsed();
  const sessions = new Sessions();
  for (let at = 0; at < count; at += 1) sessions.start(start(withLogin), now(at / 10));
  for (const { id } of sessions.list({ offset: 0, limit: 1_000 }).sessions)
    sessions.addBytes(id, 5_000_000_000);
  const each = (bytesUsed() - before) / count;
  const ids = sessions.list({ offset: 0, limit: 1_000 }).sessions.map(({ id }) => id);
  const begin = performance.now();
  for (let round = 0; round < 100; round += 1)
    for (const id of ids) sessions.touch(id, now(20_000 + round * 10));
  const touchUs = ((performance.now() - begin) * 1_000) / (100 * ids.length);
  console.log(
    `${withLogin ? 'with login' : 'without login'}: ${each.toFixed(0)} bytes a session of ${count}, ${touchUs.toFixed(2)} µs a request`,
  );
}
