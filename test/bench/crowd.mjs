/**
 * `node crowd.mjs COUNT PORT URL ORIGIN`: so many nodes in one process that carry stream `s0` and know the one at `URL`
 * only, so that what they cost is not counted. Says on which peer addresses they listen.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAgent } from '../../dist/compose.js';
import { loadConfig } from '../../dist/config.js';
import { environment, streamList } from './one-node.mjs';

const [count, firstPort, peer, origin] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'understudy-crowd-'));
const streams = join(folder, 'streams.json');
writeFileSync(streams, streamList(1, origin, { canonical: false }));
for (let at = 0; at < Number(count); at += 1) {
  const node = { id: `n${at}`, port: Number(firstPort) + at * 3, data: join(folder, `${at}`) };
  await startAgent(loadConfig(environment({ ...node, streams, peers: peer })));
}
process.on('SIGTERM', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit();
});
process.send('started');
