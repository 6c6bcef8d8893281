import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createChannelApp, serveApp } from './channel-server.ts';
import { createDemoApp } from './demo-app.ts';
import { createDemoNode, type DemoNode, demoStream } from './demo-node.ts';
import { findFreePorts } from './free-ports.ts';
import { askGroup, type GroupView } from './group-view.ts';
import { demoHelp, describeDemo, describeProblems } from './words.ts';

const nodeIds = ['node-a', 'node-b', 'node-c'] as const;
/** The page, then per node: viewers, API, peers, origin. */
const wantedPorts = [8400, 8410, 8411, 8412, 8413, 8420, 8421, 8422, 8423, 8430, 8431, 8432, 8433];
/** A group that is not in reserve by then has a problem that waiting does not cure. */
const readyMsMax = 30_000;
const readyPollMs = 250;

/** Writes one line for the person at the terminal. */
export type Say = (text: string) => void;

/**
 * `understudy demo`: three nodes of one group on this machine and a page that plays from them. Resolves
 * with the exit code when Ctrl-C (or SIGTERM, SIGHUP) has stopped everything. With `--test-channel
 * host:port` it only serves the test channel there, as an origin for a node.
 */
export async function runDemo(args: readonly string[], say: Say): Promise<number> {
  const options = readOptions(args);
  if (options.kind === 'wrong') {
    say(`${options.text}\n\n${demoHelp}`);
    return 2;
  }
  if (options.kind === 'help') {
    say(demoHelp);
    return 0;
  }
  const stopped = signalled();
  try {
    if (options.kind === 'channel') await runChannel(options, stopped, say);
    else await runNodes(stopped, say);
    return 0;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

type Options =
  | { readonly kind: 'nodes' }
  | { readonly kind: 'channel'; readonly host: string; readonly port: number }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly text: string };

function readOptions(args: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { 'test-channel': { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help) return { kind: 'help' };
    const address = values['test-channel'];
    if (address === undefined) return { kind: 'nodes' };
    const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(address) ?? [];
    if (host === '' || Number(port) > 65_535) {
      return { kind: 'wrong', text: `--test-channel must be host:port, not "${address}"` };
    }
    return { kind: 'channel', host, port: Number(port) };
  } catch (error) {
    return { kind: 'wrong', text: error instanceof Error ? error.message : String(error) };
  }
}

/** Aborted at the first signal to end; later ones are taken and ignored while everything stops. */
function signalled(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => controller.abort());
  }
  return controller.signal;
}

async function runChannel(
  { host, port }: { readonly host: string; readonly port: number },
  stopped: AbortSignal,
  say: Say,
): Promise<void> {
  const server = await serveApp(createChannelApp(), { host, port });
  say(`test channel: http://${host}:${server.port}/index.m3u8`);
  await untilAborted(stopped);
  await server.close();
}

async function runNodes(stopped: AbortSignal, say: Say): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-demo-'));
  const adminToken = randomBytes(24).toString('base64url');
  const [port = 0, ...ports] = await findFreePorts(wantedPorts);
  const nodes = createNodes({ folder, adminToken, ports, say });
  const viewGroup = () => askFirst(nodes, adminToken);
  const page = await serveApp(createDemoApp({ nodes, viewGroup, say }), {
    host: '127.0.0.1',
    port,
  });
  try {
    say('starting three nodes of one group ...');
    for (const node of nodes) node.start();
    const problems = await untilInReserve(nodes, adminToken, stopped);
    if (!stopped.aborted) {
      say(
        problems ?? describeDemo({ nodes, adminToken, pageUrl: `http://localhost:${page.port}` }),
      );
    }
    await untilAborted(stopped);
    say('stopping ...');
  } finally {
    await page.close();
    await Promise.all(nodes.map((node) => node.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

function createNodes(options: {
  readonly folder: string;
  readonly adminToken: string;
  readonly ports: readonly number[];
  readonly say: Say;
}): readonly DemoNode[] {
  const { folder, adminToken, ports, say } = options;
  const perNode = nodeIds.map((id, index) => {
    const [viewers = 0, admin = 0, peers = 0, origin = 0] = ports.slice(4 * index);
    return { id, ports: { viewers, admin, peers, origin } };
  });
  const domain = {
    folder,
    adminToken,
    clusterSecret: randomBytes(32).toString('base64url'),
    peers: perNode.map((node) => `http://127.0.0.1:${node.ports.peers}`),
  };
  return perNode.map((node) => createDemoNode({ ...node, domain, onExit: say }));
}

/** The group as the first node that answers sees it. */
async function askFirst(
  nodes: readonly DemoNode[],
  adminToken: string,
): Promise<GroupView | undefined> {
  for (const { isRunning, adminUrl } of nodes) {
    const group = isRunning() && (await askGroup({ adminUrl, adminToken, group: demoStream }));
    if (group) return group;
  }
  return undefined;
}

/** Resolves when every node sees the group in reserve; with the problems in words when that takes too long. */
async function untilInReserve(
  nodes: readonly DemoNode[],
  adminToken: string,
  stopped: AbortSignal,
): Promise<string | undefined> {
  const startedAt = performance.now();
  while (!stopped.aborted) {
    const groups = await Promise.all(
      nodes.map(({ adminUrl }) => askGroup({ adminUrl, adminToken, group: demoStream })),
    );
    if (groups.every((group) => group?.state === 'reserve')) return undefined;
    if (performance.now() - startedAt > readyMsMax) return describeProblems(nodes, groups);
    await delay(readyPollMs);
  }
  return undefined;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
