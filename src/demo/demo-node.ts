import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Name of the test channel on every node, and of its group. */
export const demoStream = 'live';
/** A node that has not ended this long after it was asked to is killed. */
const stopMsMax = 6000;
const program = fileURLToPath(new URL('../main.js', import.meta.url));

/** What all nodes of the demo share. */
export type DemoDomain = {
  readonly folder: string;
  readonly clusterSecret: string;
  readonly adminToken: string;
  readonly peers: readonly string[];
};

export type DemoPorts = {
  readonly viewers: number;
  readonly admin: number;
  readonly peers: number;
  readonly origin: number;
};

/** One node of the demo: an agent and the test channel as its origin, two processes that live and die together. */
export type DemoNode = {
  readonly id: string;
  readonly publicUrl: string;
  readonly adminUrl: string;
  readonly logPath: string;
  isRunning(): boolean;
  /** How long it has not been running; 0 while it runs. */
  downMs(): number;
  /** Starts what does not run. */
  start(): void;
  /** Pulls the plug: SIGKILL to both processes. */
  kill(): Promise<void>;
  /** Asks both processes to end and waits for it. */
  stop(): Promise<void>;
};

/** A node in a folder of its own; `onExit` is called when a process of it ends that nobody ended. */
export function createDemoNode(options: {
  readonly id: string;
  readonly ports: DemoPorts;
  readonly domain: DemoDomain;
  readonly onExit: (text: string) => void;
}): DemoNode {
  const { id, ports, domain, onExit } = options;
  const folder = join(domain.folder, id);
  const logPath = join(domain.folder, `${id}.log`);
  const environment = nodeEnvironment(id, ports, domain, folder);
  let processes: readonly ChildProcess[] = [];
  let downSince = performance.now();

  function launch(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
    const log = openSync(logPath, 'a');
    const child = spawn(process.execPath, [program, ...args], {
      // Not where the demo runs: a `.env` there is meant for a real node.
      cwd: folder,
      env,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    child.on('exit', (code, signal) => {
      if (!processes.includes(child)) return;
      downSince = performance.now();
      onExit(`${id}: ${args[0]} ended by itself (${code ?? signal}), see ${logPath}`);
    });
    return child;
  }

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const ending = processes;
    downSince = performance.now();
    processes = [];
    await Promise.all(ending.map((child) => endProcess(child, signal)));
  }

  const isRunning = () => processes.length > 0 && processes.every(isAlive);
  return {
    id,
    publicUrl: environment.UNDERSTUDY_PUBLIC_URL,
    adminUrl: `http://${environment.UNDERSTUDY_ADMIN_LISTEN}`,
    logPath,
    isRunning,
    downMs: () => (isRunning() ? 0 : performance.now() - downSince),
    start() {
      if (processes.some(isAlive)) return;
      mkdirSync(folder, { recursive: true });
      writeFileSync(environment.UNDERSTUDY_STREAMS_FILE, streamsFile(ports));
      processes = [
        launch(['demo', '--test-channel', `127.0.0.1:${ports.origin}`], baseEnvironment()),
        launch(['serve'], { ...baseEnvironment(), ...environment }),
      ];
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

function nodeEnvironment(id: string, ports: DemoPorts, domain: DemoDomain, folder: string) {
  return {
    UNDERSTUDY_NODE_ID: id,
    UNDERSTUDY_LISTEN: `127.0.0.1:${ports.viewers}`,
    UNDERSTUDY_ADMIN_LISTEN: `127.0.0.1:${ports.admin}`,
    UNDERSTUDY_PEER_LISTEN: `127.0.0.1:${ports.peers}`,
    UNDERSTUDY_PUBLIC_URL: `http://${id}.localhost:${ports.viewers}`,
    UNDERSTUDY_PEERS: domain.peers.join(','),
    UNDERSTUDY_CLUSTER_SECRET: domain.clusterSecret,
    UNDERSTUDY_ADMIN_TOKEN: domain.adminToken,
    UNDERSTUDY_DATA_DIR: join(folder, 'data'),
    UNDERSTUDY_STREAMS_FILE: join(folder, 'streams.json'),
    // Three nodes and a browser on one machine: its load says nothing of a node's.
    UNDERSTUDY_CPU_LIMIT_PERCENT: '100',
    UNDERSTUDY_NETWORK_LIMIT_PERCENT: '100',
  };
}

function streamsFile(ports: DemoPorts): string {
  const stream = {
    name: demoStream,
    origin: `http://127.0.0.1:${ports.origin}/index.m3u8`,
    group: demoStream,
    reserve: true,
    source: 'test-channel',
  };
  return JSON.stringify([stream], null, 2);
}

/** The environment of the demo without settings that are meant for a real node. */
function baseEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env);
  return Object.fromEntries(entries.filter(([name]) => !name.startsWith('UNDERSTUDY_')));
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

async function endProcess(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (!isAlive(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMsMax);
  await ended;
  clearTimeout(timer);
}
