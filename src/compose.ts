import { createAdminApp } from './adapters/http/admin-app.ts';
import { type Listener, listen, listenWith } from './adapters/http/listen.ts';
import { parseStream } from './adapters/http/stream-schema.ts';
import { createViewerApp } from './adapters/http/viewer-app.ts';
import { createKeyWrap } from './adapters/jose/key-wrap.ts';
import { createPassSigner } from './adapters/jose/pass-signer.ts';
import { openOrigin } from './adapters/origin/open-origin.ts';
import { readMeaning } from './adapters/origin/read-playlist.ts';
import { createHttpPeerLink } from './adapters/registry/http-peer-link.ts';
import { createPeerServer } from './adapters/registry/peer-server.ts';
import { createAdminTokenStore } from './adapters/sqlite/admin-token-store.ts';
import { openDatabase } from './adapters/sqlite/database.ts';
import { createKeyStore } from './adapters/sqlite/key-store.ts';
import { createStreamStore } from './adapters/sqlite/stream-store.ts';
import { announcedAddresses } from './adapters/system/addresses.ts';
import { openAdminToken } from './adapters/system/admin-token.ts';
import { systemClock, systemTimers } from './adapters/system/clock.ts';
import { newBytes, newId } from './adapters/system/ids.ts';
import { createLog } from './adapters/system/log.ts';
import { onSchedule } from './adapters/system/schedule.ts';
import { readStreamsFile } from './adapters/system/streams-file.ts';
import { createAdminister } from './agent/administer.ts';
import { Arrivals } from './agent/arrivals.ts';
import { Cycles } from './agent/cycles.ts';
import { createGroupReports } from './agent/group-reports.ts';
import { LiveStreams } from './agent/live-streams.ts';
import { Outlook } from './agent/outlook.ts';
import { Passes } from './agent/passes.ts';
import { Peers } from './agent/peers.ts';
import type { AnswerPeer } from './agent/ports.ts';
import { reloadStreams } from './agent/reload-streams.ts';
import { createSelf } from './agent/self.ts';
import { Sessions } from './agent/sessions.ts';
import { createSpread } from './agent/spread.ts';
import { StreamCatalogue } from './agent/stream-catalogue.ts';
import { Viewing } from './agent/viewing.ts';
import { ViewingKeys } from './agent/viewing-keys.ts';
import type { Config } from './core/config.ts';
import { version } from './version.ts';

/** How often it is looked which playlists are due; they are due far less often. */
const liveTickMs = 100;
const secondMs = 1_000;

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
  const log = createLog({ level: config.logLevel, node: config.node.id });
  for (const warning of config.warnings) log.warn('configuration', { warning });
  const nowMs = clock.now().wallMs;
  const database = openDatabase({ dataDir: config.store.dataDir, nowMs });
  const stops: (() => void | Promise<void>)[] = [() => void database.close()];
  const stop = async () => {
    for (const undo of stops.splice(0).reverse()) await undo();
  };
  try {
    const parts = await assemble(config, { clock, log, database, stops });
    log.info('agent started', { version, ...parts.ports });
    return { ...parts, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Base = {
  readonly clock: typeof systemClock;
  readonly log: ReturnType<typeof createLog>;
  readonly database: ReturnType<typeof openDatabase>;
  /** What to undo when the agent stops, in the order in which it was done. */
  readonly stops: (() => void | Promise<void>)[];
};

async function assemble(config: Config, base: Base): Promise<Omit<Agent, 'stop'>> {
  const { clock, log, stops } = base;
  const { catalogue, live, reload } = composeStreams(config, base);
  const node = composeNode(config, base, live);
  const { peers, keys, sessions, self, outlook } = node;
  const passes = new Passes({ signer: createPassSigner(), keyOf: (id) => keys.keyOf(id) });
  const arrivals = new Arrivals({ nodeId: config.node.id, passes, sessions });
  const spread = createSpread(config.node.id);
  const viewing = new Viewing({
    ...{ self, live, outlook, arrivals, passes, keys, sessions, spread, newId },
  });
  const token = openAdminToken({
    configured: config.admin.token,
    store: createAdminTokenStore(base.database),
    nowMs: clock.now().wallMs,
  });
  const administer = createAdminister({
    startedAt: clock.now().wallMs,
    self,
    catalogue,
    facts: (name) => live.facts(name),
    peers,
    keys,
    sessions,
    groups: createGroupReports({
      ...{ self, outlook },
      facts: () => live.allFacts(),
      peers: (now) => peers.list(now),
      signingKeyId: () => keys.signing()?.id,
    }),
    unready: () => undefined,
  });

  const cycles = new Cycles({ clock, log, every });
  stops.push(() => cycles.stop());
  cycles.start({ name: 'live streams', everyMs: liveTickMs, run: (now) => void live.tick(now) });
  cycles.start({ name: 'sessions', everyMs: secondMs, run: (now) => sessions.expire(now) });
  cycles.start({
    name: 'viewing keys',
    everyMs: secondMs,
    run: (now) => keys.tick(now, peers.list(now)),
  });
  stops.push(
    onSchedule({
      cron: config.passes.keyRotationCron,
      name: 'viewing key rotation',
      run: () => keys.scheduleRotation(clock.now()),
      log,
    }),
  );

  const keep = (listener: Listener) => {
    stops.push(() => listener.close());
    return listener.address.port;
  };
  const admin = createAdminApp({ administer, accepts: token.accepts, clock, log });
  const { trustedProxies, tls } = config.viewers;
  const viewer = createViewerApp({ viewing, nodeId: config.node.id, clock, log, trustedProxies });
  const ports = {
    admin: keep(await listen({ app: admin, ...config.admin.listen, log })),
    viewers: keep(await listen({ app: viewer, ...config.viewers.listen, tls, log })),
    ...(await listenToPeers(config, base, peers, keep)),
  };
  node.setViewerPort(ports.viewers);
  peers.start();
  stops.push(() => peers.stop());
  return { freshAdminToken: token.fresh, ports, reloadStreams: reload };
}

/** The streams of the file and of the API, and what is known of them. */
function composeStreams(config: Config, { clock, log, database, stops }: Base) {
  const catalogue = new StreamCatalogue(createStreamStore(database));
  const { streamsFile } = config;
  const read = () => (streamsFile === undefined ? [] : readStreamsFile(streamsFile, parseStream));
  catalogue.replaceFile(read());
  const live = new LiveStreams({
    ...{ clock, log, openOrigin, readMeaning },
    segmentCacheBytesMax: config.limits.segmentCacheBytesMax,
  });
  stops.push(() => live.close());
  const configure = () => live.configure(catalogue.list(), clock.now());
  configure();
  catalogue.onChange(configure);
  return { catalogue, live, reload: () => reloadStreams({ read, catalogue, log }) };
}

/** This node among its peers: keys, sessions, what it says of itself and what it believes of others. */
function composeNode(config: Config, { clock, log, database }: Base, live: LiveStreams) {
  const { clusterSecret, urls } = config.peers;
  const sessions = new Sessions();
  const keys = new ViewingKeys({
    ...{ clock, log, newId },
    store: createKeyStore(database),
    randomBytes: newBytes,
    passTtlS: config.passes.ttlS,
    peersExpected: urls.length,
    ...(clusterSecret !== undefined && { wrap: createKeyWrap(clusterSecret) }),
  });
  let addresses: readonly string[] = [];
  const self = createSelf({
    ...{ ...config.node, version, sessions, keys, addresses: () => addresses },
    passTtlS: config.passes.ttlS,
    backupSessionsMax: config.limits.backupSessionsMax,
  });
  const peers = new Peers({
    ...{ clock, timers: systemTimers, log, urls, self, boot: newId() },
    link: createHttpPeerLink({ clusterSecret: clusterSecret ?? newId() }),
    ownStreams: () => ({ version: live.factsVersion, facts: live.allFacts() }),
    wrappedKeys: () => keys.wrapped(),
    absorbKeys: (wrapped) => keys.absorb(wrapped, clock.now()),
    lacksKeys: (ids) => keys.lacks(ids),
  });
  const outlook = new Outlook({
    self,
    facts: (name) => live.facts(name),
    factsVersion: () => live.factsVersion,
    peers: (now) => peers.list(now),
    signingKeyId: () => keys.signing()?.id,
  });
  const setViewerPort = (port: number) => {
    addresses = announcedAddresses({ host: config.viewers.listen.host, port });
  };
  return { sessions, keys, self, peers, outlook, setViewerPort };
}

/** Without a cluster secret no other node can be told from a stranger: nobody is listened to. */
async function listenToPeers(
  { peers: { clusterSecret, listen: address } }: Config,
  { clock, log }: Base,
  peers: Peers,
  keep: (listener: Listener) => number,
): Promise<{ readonly peers?: number }> {
  if (clusterSecret === undefined) return {};
  const answer: AnswerPeer = (question, now) => peers.answer(question, now);
  const server = createPeerServer({ answer, clusterSecret, clock, log });
  return { peers: keep(await listenWith(server, address)) };
}

function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
}
