import { onTestFinished } from 'vitest';
import { createAdminApp } from '../../src/adapters/http/admin-app.ts';
import { createMetrics } from '../../src/adapters/metrics/prometheus.ts';
import { createAuditStore } from '../../src/adapters/sqlite/audit-store.ts';
import { openDatabase } from '../../src/adapters/sqlite/database.ts';
import { createTokenStore } from '../../src/adapters/sqlite/token-store.ts';
import { openAdminTokens } from '../../src/adapters/system/admin-tokens.ts';
import type { Caller } from '../../src/agent/admin-ports.ts';
import { type Administer, createAdminister } from '../../src/agent/administer.ts';
import { administerCoverage } from '../../src/agent/administer-coverage.ts';
import { Coverages } from '../../src/agent/archive/coverages.ts';
import { Drain } from '../../src/agent/drain.ts';
import { createExplain } from '../../src/agent/explain.ts';
import { LoadHistory } from '../../src/agent/load-history.ts';
import { LoginSlots } from '../../src/agent/login-slots.ts';
import { monitoredState } from '../../src/agent/monitored-state.ts';
import { SessionNotes } from '../../src/agent/session-notes.ts';
import { Sessions } from '../../src/agent/sessions.ts';
import { StreamCatalogue } from '../../src/agent/stream-catalogue.ts';
import type { Alert } from '../../src/core/alert/alert.ts';
import type { GroupReport } from '../../src/core/group/group-report.ts';
import type { NodeFacts, Peer } from '../../src/core/group/node.ts';
import type { Forecast } from '../../src/core/load/forecast.ts';
import { judgeCandidates } from '../../src/core/placement/candidates.ts';
import type { StreamFacts } from '../../src/core/stream/stream.ts';
import type { Now } from '../../src/core/time.ts';
import { aNode, testNow } from './builders.ts';
import { createFakeDrills } from './fake-drills.ts';
import { createFakeLog } from './fake-log.ts';
import { memoryCoverageStore } from './memory-coverage-store.ts';
import { createMemoryStreamStore } from './memory-stream-store.ts';
import { tempFolder } from './temp-folder.ts';

export const adminToken = 'test-token-1234567';

/** The admin API over plain facts; tests change the facts, move the clock and ask. */
export function createAdminRig({ trustedProxies = [] }: { trustedProxies?: string[] } = {}) {
  const facts = {
    now: { ...testNow } as { -readonly [field in keyof Now]: Now[field] },
    self: aNode({ id: 'node-a' }) as NodeFacts,
    streams: new Map<string, StreamFacts>(),
    peers: [] as Peer[],
    strangers: [] as { id: string; lastAskedAt: number }[],
    key: { state: 'missing', keys: [] } as ReturnType<Administer['key']>,
    rotations: 0,
    told: [] as readonly string[],
    groups: [] as GroupReport[],
    alerts: [] as Alert[],
    alertReads: 0,
    forecasts: [] as Forecast[],
    drills: createFakeDrills(),
    tested: [] as Awaited<ReturnType<Administer['testAlerts']>>,
    unready: undefined as string | undefined,
    /** What the identity provider says of tokens that are not of this node. */
    judgement: undefined as Caller | 'unavailable' | undefined,
  };
  const store = createMemoryStreamStore();
  const catalogue = new StreamCatalogue(store);
  const sessions = new Sessions();
  const notes = new SessionNotes();
  const log = createFakeLog();
  const metrics = createMetrics({ version: '0.1.0' });
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const database = openDatabase({ dataDir: tempFolder(), nowMs: testNow.wallMs });
  onTestFinished(() => void database.close());
  const audit = createAuditStore(database);
  const tokens = openAdminTokens({
    store: createTokenStore(database),
    acceptsFirst: (presented) => presented === adminToken,
  });
  const coverages = new Coverages(memoryCoverageStore());
  const candidates = (name: string, now: Now) =>
    judgeCandidates({
      self: facts.self,
      name,
      own: facts.streams.get(name),
      peers: facts.peers,
      signingKeyId: undefined,
      now,
    });
  const administer = createAdminister({
    coverage: administerCoverage({
      ...{ coverages, candidates, troubles: { of: () => [] } },
      config: (name) => catalogue.get(name),
    }),
    startedAt: testNow.wallMs - 60_000,
    self: () => facts.self,
    catalogue,
    facts: (name) => facts.streams.get(name),
    damage: () => undefined,
    peers: { list: () => facts.peers, strangers: () => facts.strangers },
    keys: {
      view: () => facts.key,
      rotate: () => {
        facts.rotations += 1;
        return { id: '2-next' };
      },
    },
    sessions,
    groups: (_, isWanted = () => true) =>
      facts.groups.filter(({ name }, at) => isWanted(name, at, facts.groups.length)),
    drain: new Drain(),
    notes,
    slots: new LoginSlots({ scope: 'node', notes, isReachable: () => false, fingerprint: String }),
    tell: async () => facts.told,
    alerts: {
      list: () => {
        facts.alertReads += 1;
        return facts.alerts;
      },
    },
    forecasts: { all: () => facts.forecasts },
    drills: facts.drills,
    testAlerts: async () => facts.tested,
    beginTrial: (name) => ({ entry: `/${name}/index.m3u8?pass=p`, endsAt: 1 }),
    ...{ tokens, audit },
    history: new LoadHistory({ self: () => facts.self, peers: () => facts.peers }),
    explain: createExplain({
      live: {
        ...{ entry: () => undefined, mpd: () => undefined, facts: () => undefined },
        load: async () => ({ kind: 'fault', reason: 'unknown-stream' }),
      },
      drain: { isToLeave: () => false },
      slots: { takenByOthers: () => 0 },
      admission: { wouldRefuse: () => undefined },
      outlook: {
        candidates: (name, now) =>
          judgeCandidates({
            ...{ self: facts.self, name, own: facts.streams.get(name), peers: facts.peers, now },
            signingKeyId: facts.key.keys.find(({ signs }) => signs)?.id,
          }),
      },
      spread: { sentLately: () => new Map() },
    }),
    unready: () => facts.unready,
  });
  const standing = () => facts.alerts.filter(({ clearedAt }) => clearedAt === undefined);
  const app = createAdminApp({
    administer,
    callerOf: (presented) => tokens.callerOf(presented) ?? facts.judgement,
    trustedProxies,
    metrics: {
      contentType: metrics.contentType,
      text: () => metrics.text(monitoredState({ administer, alerts: { standing } }, facts.now)),
    },
    consoleFolder: new URL('nowhere/', import.meta.url),
    stopping: stopping.signal,
    clock: { now: () => ({ ...facts.now }) },
    log,
  });

  /** Asks with the right token unless told otherwise; `from` is the address of the socket. */
  async function ask(
    method: string,
    path: string,
    options: {
      body?: unknown;
      text?: string;
      headers?: Record<string, string>;
      token?: string | undefined;
      from?: string;
    } = {},
  ) {
    const token = 'token' in options ? options.token : adminToken;
    const body = options.text ?? (options.body === undefined ? null : JSON.stringify(options.body));
    const response = await app.request(
      path,
      {
        method,
        body,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== null && { 'content-type': 'application/json' }),
          ...options.headers,
        },
      },
      { incoming: { socket: { remoteAddress: options.from ?? '127.0.0.1' } } },
    );
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : text,
    };
  }

  return { app, facts, store, catalogue, sessions, log, audit, metrics, ask };
}
