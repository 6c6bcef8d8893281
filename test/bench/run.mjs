/**
 * `npm run bench`: everything that is measured, one after the other, each pinned to its core. About an hour, half of which
 * memory is watched (`SOAK_MIN=0` leaves that out). Needs wrk, nginx and libnginx-mod-http-js. Prints the tables of
 * `docs/performance.md`; ratios are what counts, absolute figures are this machine's.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const parts = [
  ['requests.mjs', {}],
  ['requests.mjs', { TLS: '1' }],
  ['peers.mjs', {}],
  ['refresh.mjs', {}],
  ['growth.mjs', {}],
  ['sessions.mjs', {}],
  ['archive.mjs', {}],
  ['workers.mjs', {}],
];
let failed = 0;
for (const [name, env] of parts) {
  console.log(`\n## ${name}${env.TLS ? ', TLS' : ''}\n`);
  const path = fileURLToPath(new URL(name, import.meta.url));
  const { status } = spawnSync(process.execPath, ['--expose-gc', path], {
    ...{ stdio: 'inherit', env: { ...process.env, ...env } },
  });
  if (status !== 0) failed += 1;
}
process.exitCode = failed === 0 ? 0 : 1;
