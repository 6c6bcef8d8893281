import { createAdminApp } from './adapters/http/admin-app.ts';
import { type Listener, listen, listenWith } from './adapters/http/listen.ts';
import { parseStream } from './adapters/http/stream-schema.ts';
import { createViewerApp } from './adapters/http/viewer-app.ts';
import { createMetrics } from './adapters/metrics/prometheus.ts';
import { createPeerServer } from './adapters/registry/peer-server.ts';
import { openDatabase } from './adapters/sqlite/database.ts';
import { createStreamStore } from './adapters/sqlite/stream-store.ts';
import { announcedAddresses } from './adapters/system/addresses.ts';
import { systemClock, systemTimers } from './adapters/system/clock.ts';
import { createLog } from './adapters/system/log.ts';
import { onSchedule } from './adapters/system/schedule.ts';
import { readStreamsFile } from './adapters/system/streams-file.ts';
import { createAdminister } from './agent/administer.ts';
import type { createAgent } from './agent/agent.ts';
import { Cycles } from './agent/cycles.ts';
import { leave } from './agent/leave.ts';
import { monitoredState } from './agent/monitored-state.ts';
import type { AnswerPeers } from './agent/peer-ports.ts';
import type { Log } from './agent/ports.ts';
import { reloadStreams } from './agent/reload-streams.ts';
import { StreamCatalogue } from './agent/stream-catalogue.ts';
import { composeAccess } from './compose-access.ts';
import { openAgent } from './compose-agent.ts';
import { createWorkerLoad, startWorkers } from './compose-workers.ts';
import type { Config } from './core/config.ts';
import { version } from './version.ts';

/** Beside this file, when it is built. */
const consoleFolder = new URL('./console/', import.meta.url);

/** Recordings are never much longer than their depth says. */
const archiveTrimmingCron = '*/10 * * * *';

/** A running agent. */
export type Agent = {
  /** Made at the first start when none is configured; to be shown to the operator, it is kept as a hash only. */
  readonly freshAdminToken: string | undefined;
  /** Where it really listens. */
  readonly ports: { readonly viewers: number; readonly admin: number; readonly peers?: number };
  /** Reads the streams file again. */
  reloadStreams(): void;
  stop(): Promise<void>;
};

/**
 * Puts the agent together, starts it in order and stops it in reverse.
 * @throws config_invalid for a faulty streams file; store_failed; whatever a listener fails with
 */
export async function startAgent(config: Config): Promise<Agent> {
  const clock = systemClock;
  const metrics = createMetrics({ version });
  const log = metrics.counting(createLog({ level: config.logLevel, node: config.node.id }));
  for (const warning of config.warnings) log.warn('configuration', { warning });
  const nowMs = clock.now().wallMs;
  const database = openDatabase({ dataDir: config.store.dataDir, nowMs });
  const stops: (() => void | Promise<void>)[] = [() => void database.close()];
  const stop = async () => {
    for (const undo of stops.splice(0).reverse()) await undo();
  };
  try {
    const parts = await assemble(config, { clock, log, metrics, database, stops });
    log.info('agent started', { version, ...parts.ports });
    return { ...parts, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Base = {
  readonly clock: typeof systemClock;
  readonly log: Log;
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly database: ReturnType<typeof openDatabase>;
  /** What to undo when the agent stops, in the order in which it was done. */
  readonly stops: (() => void | Promise<void>)[];
};

async function assemble(config: Config, base: Base): Promise<Omit<Agent, 'stop'>> {
  const { clock, log, metrics, stops } = base;
  const load = createWorkerLoad();
  const agent = openAgent(config, { ...base, workerLoad: load.read });
  const { live, peers, keys, sessions, self } = agent;
  stops.push(() => live.close());
  stops.push(() => agent.archive.close());
  const { catalogue, reload } = composeStreams(config, base, agent);
  const access = composeAccess(config, base);
  stops.push(access.stop);
  let wait: string | undefined = 'the node is starting';
  let unserved: () => string | undefined = () => undefined;
  const administer = createAdminister({
    startedAt: clock.now().wallMs,
    ...{
      self,
      catalogue,
      peers,
      keys,
      sessions,
      groups: agent.groups,
      alerts: agent.alerts,
      forecasts: agent.forecasts,
      drills: agent.drills,
    },
    ...{ testAlerts: agent.testAlerts, beginTrial: agent.beginTrial },
    facts: (name) => live.facts(name),
    damage: (name) => agent.timelines.damage(name, clock.now()),
    ...{
      tokens: access.tokens,
      audit: access.audit,
      explain: agent.explain,
      coverage: agent.coverage,
      history: agent.history,
    },
    ...{ drain: agent.drain, notes: agent.notes, slots: agent.slots, tell: () => peers.tell() },
    unready: () => wait ?? unserved(),
  });
  const cycles = new Cycles({ clock, log, every });
  stops.push(() => cycles.stop());
  for (const cycle of agent.cycles) cycles.start(cycle);
  stops.push(agent.stopAlerting);
  stops.push(() => agent.drills.close());
  stops.push(...schedules(config, base, agent));
  const keep = (listener: Listener) => {
    stops.push(() => listener.close());
    return listener.address.port;
  };
  const stopping = new AbortController();
  const { trustedProxies } = config.viewers;
  const admin = createAdminApp({
    ...{ administer, clock, log, consoleFolder, trustedProxies, stopping: stopping.signal },
    callerOf: access.callerOf,
    metrics: {
      contentType: metrics.contentType,
      text: () => metrics.text(monitoredState({ administer, alerts: agent.alerts }, clock.now())),
    },
  });
  const ports = {
    admin: keep(await listen({ app: admin, ...config.admin.listen, log })),
    ...(await serveViewers(config, { ...base, ...agent, load }, (unready) => {
      unserved = unready;
    })),
    ...(await listenToPeers(config, base, agent.answerPeers, keep)),
  };
  agent.setAddresses(announcedAddresses({ host: config.viewers.listen.host, port: ports.viewers }));
  peers.start();
  stops.push(() => peers.stop());
  wait = undefined;
  stops.push(() =>
    leave(
      { clock, timers: systemTimers, sessions, drain: agent.drain, tell: () => peers.tell() },
      config.limits.stopDrainS,
    ),
  );
  stops.push(() => {
    wait = 'the node is stopping';
    stopping.abort();
    log.info('agent stopping');
  });
  return { freshAdminToken: access.fresh, ports, reloadStreams: reload };
}

/** Serves viewers, here or by workers; `onUnready` gets what says whether these serve. */
async function serveViewers(
  config: Config,
  base: Base &
    Pick<ReturnType<typeof createAgent>, 'viewing' | 'repeats'> & {
      readonly load: ReturnType<typeof createWorkerLoad>;
    },
  onUnready: (unready: () => string | undefined) => void,
): Promise<{ readonly viewers: number }> {
  const { clock, log, metrics, stops, viewing, repeats } = base;
  const { trustedProxies, tls, listen: address } = config.viewers;
  const { meter, certificateExpires: onExpiry } = metrics;
  const app = createViewerApp({
    ...{ viewing, nodeId: config.node.id, clock, log, meter, trustedProxies },
    isBehindWorkers: repeats !== undefined,
  });
  if (repeats !== undefined) {
    const workers = await startWorkers(config, { ...base, app, repeats });
    onUnready(workers.unready);
    return { viewers: workers.port };
  }
  const listener = await listen({ app, ...address, tls, log, onExpiry });
  stops.push(() => listener.close());
  return { viewers: listener.address.port };
}

/** Work by the calendar; each answer ends one. */
function schedules(
  config: Config,
  { clock, log }: Base,
  { keys, archive }: ReturnType<typeof createAgent>,
): readonly (() => void)[] {
  const works = [
    {
      cron: config.passes.keyRotationCron,
      name: 'viewing key rotation',
      run: () => keys.scheduleRotation(clock.now()),
    },
    {
      cron: archiveTrimmingCron,
      name: 'archive trimming',
      run: () => void archive.trim(clock.now()),
    },
  ];
  return works.map((work) => onSchedule({ ...work, log }));
}

/** The streams of the file and of the API, and the agent told of them whenever they change. */
function composeStreams(
  config: Config,
  { clock, log, database }: Base,
  { live, repeats }: ReturnType<typeof createAgent>,
) {
  const catalogue = new StreamCatalogue(createStreamStore(database));
  const { streamsFile } = config;
  const read = () => (streamsFile === undefined ? [] : readStreamsFile(streamsFile, parseStream));
  catalogue.replaceFile(read());
  const configure = () => {
    live.configure(catalogue.list(), clock.now());
    repeats?.endAll();
  };
  configure();
  catalogue.onChange(configure);
  return { catalogue, reload: () => reloadStreams({ read, catalogue, log }) };
}

/** Without a cluster secret no other node can be told from a stranger: nobody is listened to. */
async function listenToPeers(
  { peers: { clusterSecret, listen: address } }: Config,
  { clock, log }: Base,
  answer: AnswerPeers,
  keep: (listener: Listener) => number,
): Promise<{ readonly peers?: number }> {
  if (clusterSecret === undefined) return {};
  const server = createPeerServer({ answer, clusterSecret, clock, log });
  return { peers: keep(await listenWith(server, address)) };
}

function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
}
