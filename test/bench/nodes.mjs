import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { smallProcess } from '../../src/setup.mjs';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const readyMsMax = 60_000;
/** With `PROFILE_DIR` set, the measured node leaves a CPU profile there. */
const { PROFILE_DIR } = process.env;
const profiling = PROFILE_DIR ? ['--cpu-prof', `--cpu-prof-dir=${PROFILE_DIR}`] : [];

/** Starts a process on `cores`; its output goes to a file in `folder`. */
export function startPinned(folder, name, cores, command, args, options = {}) {
  const log = openSync(join(folder, `${name}.log`), 'a');
  return spawn('taskset', ['-c', cores, command, ...args], {
    stdio: ['ignore', log, log, ...(options.ipc ? ['ipc'] : [])],
    env: options.env ?? process.env,
  });
}

const originScript = fileURLToPath(new URL('./yardsticks/origin.mjs', import.meta.url));
export const originPort = 9640;

/**
 * Three nodes of one group; the first alone on core 0, the others and the origin of all on core 1. With `tls` (`cert` and
 * `key`, files) viewers come by https.
 */
export async function startNodes(folder, processes, tls) {
  const ids = ['a', 'b', 'c'];
  const port = (at, which) => 9600 + at * 10 + which;
  const scheme = tls ? 'https' : 'http';
  const origin = `http://127.0.0.1:${originPort}`;
  processes.push(
    startPinned(folder, 'origin', '1', process.execPath, [originScript, String(originPort)]),
  );
  const peers = ids.map((_, at) => `http://127.0.0.1:${port(at, 2)}`).join(',');
  const started = ids.flatMap((id, at) => {
    const data = join(folder, id);
    mkdirSync(data);
    const streamsFile = join(data, 'streams.json');
    const gone = { name: 'elsewhere', group: 'elsewhere', source: 'test' };
    writeFileSync(
      streamsFile,
      JSON.stringify([
        { name: 'live', origin: `${origin}/live/index.m3u8`, group: 'live', source: 'test' },
        ...['1mb', '4mb'].map((name) => ({
          ...{ name, origin: `${origin}/${name}/index.m3u8`, canonical: false },
          group: `${name} of ${id}`,
        })),
        // On air everywhere but on the measured node: its entry is a redirect.
        {
          ...gone,
          origin: id === 'a' ? 'http://127.0.0.1:9/index.m3u8' : `${origin}/e/index.m3u8`,
        },
      ]),
    );
    const env = {
      ...smallProcess,
      ...process.env,
      UNDERSTUDY_NODE_ID: id,
      UNDERSTUDY_LISTEN: `127.0.0.1:${port(at, 0)}`,
      UNDERSTUDY_ADMIN_LISTEN: `127.0.0.1:${port(at, 1)}`,
      UNDERSTUDY_PEER_LISTEN: `127.0.0.1:${port(at, 2)}`,
      UNDERSTUDY_PUBLIC_URL: `${scheme}://node-${id}.localhost:${port(at, 0)}`,
      UNDERSTUDY_PEERS: peers,
      UNDERSTUDY_CLUSTER_SECRET: 'a secret that only this benchmark knows',
      UNDERSTUDY_ADMIN_TOKEN: 'only-this-benchmark-knows-me',
      UNDERSTUDY_DATA_DIR: data,
      UNDERSTUDY_STREAMS_FILE: streamsFile,
      ...(tls && { UNDERSTUDY_TLS_CERT_FILE: tls.cert, UNDERSTUDY_TLS_KEY_FILE: tls.key }),
      // Nobody is refused because the machine has other work.
      UNDERSTUDY_CPU_LIMIT_PERCENT: '100',
      // The measured node takes one viewer of the others; see `aRefusedViewer`.
      ...(at === 0 && { UNDERSTUDY_BACKUP_SESSION_LIMIT: '1' }),
    };
    const core = at === 0 ? '0' : '1';
    return [
      startPinned(
        folder,
        `${id}-agent`,
        core,
        process.execPath,
        [...(at === 0 ? profiling : []), program, 'serve'],
        { env },
      ),
    ];
  });
  processes.push(...started);
  const base = `${scheme}://127.0.0.1:${port(0, 0)}`;
  await untilReady(base);
  return { base, otherBase: `${scheme}://127.0.0.1:${port(1, 0)}`, agent: started[0] };
}

/** Until the measured node names two backups and redirects the stream it does not have. */
async function untilReady(base) {
  const until = Date.now() + readyMsMax;
  for (;;) {
    const text = await fetch(`${base}/live/index.m3u8`, { headers: browser })
      .then((answer) => answer.text())
      .catch(() => '');
    const moved = await fetch(`${base}/elsewhere/index.m3u8`, { redirect: 'manual' })
      .then(({ status }) => status === 302)
      .catch(() => false);
    if (moved && new Set(text.match(/^https?:\/\/[^/]+/gm)).size === 2) return;
    if (Date.now() > until) throw new Error(`the group is not ready:\n${text}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/**
 * The media playlist of a viewer of another node, with a good pass, whom the measured node refuses: the one place it has
 * for such viewers is taken, and kept for as long as this runs.
 */
export async function aRefusedViewer({ base, otherBase }) {
  const [taken, refused] = [await backupAt(base, otherBase), await backupAt(base, otherBase)];
  const ask = (url) => fetch(url, { headers: browser });
  const stay = async () => {
    if ((await ask(taken)).status !== 200) throw new Error('the place is not taken');
  };
  await stay();
  setInterval(stay, 20_000).unref();
  const answer = await ask(refused);
  const reason = answer.headers.get('x-understudy-reason');
  if (answer.status !== 404 || reason !== 'backup-limit') throw new Error(`not refused: ${reason}`);
  return refused;
}

/** Opens at another node, and gives the media playlist that it names at the measured one. */
async function backupAt(base, otherBase) {
  const { port } = new URL(base);
  const until = Date.now() + readyMsMax;
  for (;;) {
    const text = await (await fetch(`${otherBase}/live/index.m3u8`, { headers: browser })).text();
    const uri = text
      .split('\n')
      .find((line) => line.includes(`:${port}/`) && !line.startsWith('#'));
    if (uri !== undefined) return uri.replace(/^https?:\/\/[^/]+/, base);
    if (Date.now() > until) throw new Error(`not named as a backup:\n${text}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** A player that follows backups. */
export const browser = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0' };

/** Ends what was started and waits for it. */
export async function endAll(processes) {
  await Promise.all(
    processes.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }),
  );
}
