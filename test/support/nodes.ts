import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { checkOutput, testSecrets } from './agent-output.ts';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const { adminToken, clusterSecret } = testSecrets;
const readyMsMax = 40_000;

/** One agent as a process of its own, at an address of its own. */
export type TestNode = {
  readonly id: string;
  readonly host: string;
  /** Where viewers reach it, without trailing slash. */
  readonly url: string;
  /** Where its API and console are, without trailing slash. */
  readonly adminUrl: string;
  /** Asks its API. */
  api(path: string, init?: RequestInit): Promise<unknown>;
  /** Of its process. */
  pid(): number;
  /** What it has logged so far. */
  log(): string;
  /** Pulls the plug. */
  kill(): Promise<void>;
  /** Asks it to stop; its exit code, once it has ended. */
  terminate(): Promise<number | null>;
  start(): void;
};

/** The streams of each node, as its streams file has them. */
export type NodeStreams = readonly (readonly object[])[];

/** Where a node runs instead of at an address of the loopback: in a network of its own, see `network-spaces.ts`. */
export type NodeSpace = { readonly name: string; readonly host: string };

/** Variables beside those that every test node has. */
type Settings = Readonly<Record<string, string>>;

/**
 * Starts agents `node-a`, `node-b` ... of one domain on 127.0.0.2, 127.0.0.3 ..., or in the `spaces`; one per list of
 * streams, all with the same `settings` or each with its own. They run what is in `dist`.
 */
export async function startTestNodes(
  streams: NodeStreams,
  spaces: readonly NodeSpace[] = [],
  settings:
    | Settings
    | ((place: { readonly host: string; readonly viewers: number }) => Settings) = {},
): Promise<{ readonly nodes: readonly TestNode[]; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-nodes-'));
  const places = await Promise.all(
    streams.map(async (list, at) => {
      const space = spaces[at];
      const host = space?.host ?? `127.0.0.${at + 2}`;
      const [viewers, admin, peers] = space ? [8080, 8081, 8082] : await freePorts(host, 3);
      const id = `node-${String.fromCharCode(97 + at)}`;
      return { id, host, space, list, viewers, admin, peers };
    }),
  );
  const domain = places.map(({ host, peers }) => `http://${host}:${peers}`).join(',');
  const nodes = places.map(({ id, host, space, list, viewers, admin, peers }) => {
    // An address that moves to a node later on is served as well.
    const bound = space === undefined ? host : '0.0.0.0';
    const data = join(folder, id);
    mkdirSync(data);
    const streamsFile = join(data, 'streams.json');
    writeFileSync(streamsFile, JSON.stringify(list));
    const env = {
      PATH: process.env.PATH,
      UNDERSTUDY_NODE_ID: id,
      UNDERSTUDY_LISTEN: `${bound}:${viewers}`,
      UNDERSTUDY_ADMIN_LISTEN: `${host}:${admin}`,
      UNDERSTUDY_PEER_LISTEN: `${host}:${peers}`,
      UNDERSTUDY_PUBLIC_URL: `http://${host}:${viewers}`,
      UNDERSTUDY_PEERS: domain,
      UNDERSTUDY_CLUSTER_SECRET: clusterSecret,
      UNDERSTUDY_ADMIN_TOKEN: adminToken,
      UNDERSTUDY_DATA_DIR: data,
      UNDERSTUDY_STREAMS_FILE: streamsFile,
      // The machine is busy with the tests themselves.
      UNDERSTUDY_CPU_LIMIT_PERCENT: '100',
      ...(typeof settings === 'function' ? settings({ host, viewers: viewers ?? 0 }) : settings),
    };
    const logPath = join(folder, `${id}.log`);
    return createTestNode({ id, host, space, env, logPath, ports: { viewers, admin } });
  });
  for (const node of nodes) node.start();
  return {
    nodes,
    async stop() {
      await Promise.all(nodes.map((node) => node.kill()));
      for (const node of nodes) checkOutput(node.log());
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function createTestNode(options: {
  id: string;
  host: string;
  space: NodeSpace | undefined;
  env: NodeJS.ProcessEnv;
  logPath: string;
  ports: { viewers: number | undefined; admin: number | undefined };
}): TestNode {
  const { id, host, space, env, logPath, ports } = options;
  let child: ChildProcess | undefined;
  return {
    id,
    host,
    url: `http://${host}:${ports.viewers}`,
    adminUrl: `http://${host}:${ports.admin}`,
    async api(path, init) {
      const answer = await fetch(`http://${host}:${ports.admin}/api/v1${path}`, {
        ...init,
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      });
      return answer.json();
    },
    pid: () => child?.pid ?? 0,
    log: () => readFileSync(logPath, 'utf8'),
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    async terminate() {
      if (child === undefined) throw new Error(`${id} does not run`);
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = await ended;
      return code;
    },
    start() {
      const log = openSync(logPath, 'a');
      const serve = [process.execPath, program, 'serve'];
      const [command = '', ...args] =
        space === undefined ? serve : ['ip', 'netns', 'exec', space.name, ...serve];
      child = spawn(command, args, { env, stdio: ['ignore', log, log] });
      closeSync(log);
    },
  };
}

/**
 * Resolves when every node says that the group is in reserve, with as many members as there are nodes, and all of the
 * domain is settled: a group is in reserve by an older viewing key while the newest one spreads.
 */
export async function untilInReserve(nodes: readonly TestNode[], group: string): Promise<void> {
  await untilAll(nodes, async (node) => {
    const report = await node.api(`/groups/${group}`).catch(String);
    const { state, members } = Object(report);
    return state === 'reserve' && members.length === nodes.length ? undefined : report;
  });
  await untilSettled(nodes);
}

/** Resolves when every node hears all others, is heard by them, and the newest viewing key signs. */
export function untilSettled(nodes: readonly TestNode[]): Promise<void> {
  return untilAll(nodes, async (node) => {
    const key = Object(await node.api('/key').catch(String));
    const { peers = [] } = Object(await node.api('/peers').catch(String));
    const isMutual = (peer: { reachability: string; hears?: readonly string[] }) =>
      peer.reachability === 'reachable' && peer.hears?.includes(node.id);
    const heard = peers.filter(isMutual).length;
    return key.state === 'in-force' && heard >= nodes.length - 1 ? undefined : { key, peers };
  });
}

/** Resolves when `lackOf` has nothing to tell of any node. @throws what is lacking still, with what the node has logged */
async function untilAll(
  nodes: readonly TestNode[],
  lackOf: (node: TestNode) => Promise<unknown>,
): Promise<void> {
  const until = performance.now() + readyMsMax;
  for (const node of nodes)
    for (;;) {
      const lack = await lackOf(node);
      if (lack === undefined) break;
      if (performance.now() > until)
        throw new Error(`${node.id}: ${JSON.stringify(lack)}\n${node.log()}`);
      await delay(100);
    }
}

/** Ports nobody listens at now. */
async function freePorts(host: string, count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      server.listen(0, host);
      await once(server, 'listening');
      return server;
    }),
  );
  return servers.map((server) => {
    const address = server.address();
    server.close();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
}
