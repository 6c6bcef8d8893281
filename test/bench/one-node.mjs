import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { smallProcess } from '../../src/setup.mjs';
import { browser, startPinned } from './nodes.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const program = here('../../dist/main.js');
export const measuredPort = 9700;
export const originAt = 'http://127.0.0.1:9640';

/** What a node is given: viewers at `port`, its API one further, its peers one further than that. */
export function environment({ id, port, data, streams, peers = '' }) {
  return {
    UNDERSTUDY_NODE_ID: id,
    UNDERSTUDY_LISTEN: `127.0.0.1:${port}`,
    UNDERSTUDY_ADMIN_LISTEN: `127.0.0.1:${port + 1}`,
    UNDERSTUDY_PEER_LISTEN: `127.0.0.1:${port + 2}`,
    UNDERSTUDY_PUBLIC_URL: `http://node-${id}.localhost:${port}`,
    UNDERSTUDY_PEERS: peers,
    UNDERSTUDY_CLUSTER_SECRET: 'a secret that only this benchmark knows',
    UNDERSTUDY_ADMIN_TOKEN: 'only-this-benchmark-knows-me',
    UNDERSTUDY_DATA_DIR: data,
    UNDERSTUDY_STREAMS_FILE: streams,
    UNDERSTUDY_CPU_LIMIT_PERCENT: '100',
    UNDERSTUDY_LOG_LEVEL: 'warn',
  };
}

/** Streams `s0`, `s1` ... of groups of their own, as a streams file has them. */
export function streamList(count, origin = originAt, more = {}) {
  const list = Array.from({ length: count }, (_, at) => ({
    ...{ name: `s${at}`, group: `g${at}`, source: 'test' },
    ...{ origin: `${origin}/s${at}/index.m3u8`, ...more },
  }));
  return JSON.stringify(list);
}

export async function startOrigin(folder, processes) {
  const child = startPinned(
    folder,
    'origin',
    '1',
    process.execPath,
    [here('./yardsticks/origin.mjs'), '9640'],
    { ipc: true },
  );
  processes.push(child);
  await once(child, 'message');
}

/** One node alone on core 0, ready when its last stream is on air. `look` tells what it weighs, and its worst pause since. */
export async function startOneNode(folder, processes, { streams, more, peers }) {
  const data = join(folder, `node-${Math.random()}`);
  mkdirSync(data);
  const file = join(data, 'streams.json');
  writeFileSync(file, streamList(streams, originAt, more));
  const settings = environment({ id: 'measured', port: measuredPort, data, streams: file, peers });
  const args = ['--import', here('./watch-pauses.mjs'), program, 'serve'];
  const env = { ...smallProcess, ...process.env, ...settings };
  const child = startPinned(folder, 'agent', '0', process.execPath, args, { ipc: true, env });
  processes.push(child);
  const base = `http://127.0.0.1:${measuredPort}`;
  await until(() => isServed(`${base}/s${streams - 1}/index.m3u8`));
  const look = async () => {
    child.send('look');
    const [seen] = await once(child, 'message');
    return seen;
  };
  return { base, child, look };
}

async function isServed(url) {
  const answer = await fetch(url, { headers: browser }).catch(() => undefined);
  const reason = answer?.headers.get('x-understudy-reason');
  return answer?.status === 200 && reason !== 'last-resort';
}

export async function until(isSo, msMax = 120_000) {
  const end = Date.now() + msMax;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error('not ready');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
