import type { Alert } from '../core/alert/alert.ts';
import { AgentError } from '../core/errors.ts';
import { whoIsWrong } from '../core/group/clock-offset.ts';
import type { NodeFacts, Peer } from '../core/group/node.ts';
import type { Forecast } from '../core/load/forecast.ts';
import type { KeyState } from '../core/pass/key-ring.ts';
import type { StreamFacts } from '../core/stream/stream.ts';
import type { Now, UnixMs } from '../core/time.ts';
import type { AdminScope, AdminToken, AuditEntry, AuditStore } from './admin-ports.ts';
import type { AdministerCoverage } from './administer-coverage.ts';
import { administerDrills, type DrillDeps } from './administer-drills.ts';
import { administerStreams, airOf, found, isOnAir } from './administer-streams.ts';
import { administerViewers, type ViewersDeps } from './administer-viewers.ts';
import { type AlertState, alertViews } from './alert-view.ts';
import type { TestedTarget } from './alerting.ts';
import type { DescribedRequest, Explanation } from './explain.ts';
import type { GroupReports } from './group-reports.ts';
import type { LoadHistory } from './load-history.ts';
import { loadView } from './load-view.ts';
import type { Session, SessionFilter, Sessions } from './sessions.ts';
import type { StreamCatalogue } from './stream-catalogue.ts';
import type { Damage } from './timeline/release.ts';
import type { Trial } from './trials.ts';

/** What the API says of a viewing key; never the key itself. */
type KeyView = {
  readonly state: KeyState;
  readonly keys: readonly {
    readonly id: string;
    readonly generation: number;
    readonly createdAt: UnixMs;
    readonly supersededAt?: UnixMs | undefined;
    readonly signs: boolean;
    readonly lackedBy: readonly string[];
  }[];
};

type SessionPage = {
  readonly offset: number;
  readonly limit: number;
  readonly filter: SessionFilter;
};

type Deps = ViewersDeps & {
  readonly startedAt: UnixMs;
  readonly self: () => NodeFacts;
  readonly catalogue: Pick<StreamCatalogue, 'list' | 'get' | 'definedIn' | 'put' | 'remove'>;
  /** Own facts of a stream; absent until it was looked at. */
  readonly facts: (name: string) => StreamFacts | undefined;
  /** Segments of a stream that came incomplete. */
  readonly damage: (name: string) => Damage | undefined;
  readonly peers: {
    list(now: Now): readonly Peer[];
    strangers(): readonly { readonly id: string; readonly lastAskedAt: UnixMs }[];
  };
  readonly keys: { view(): KeyView; rotate(now: Now): { readonly id: string } };
  readonly sessions: Pick<Sessions, 'get' | 'end'> & {
    list(page: SessionPage): { readonly total: number; readonly sessions: readonly Session[] };
  };
  readonly groups: GroupReports;
  readonly drills: DrillDeps['drills'];
  readonly alerts: { list(): readonly Alert[] };
  readonly forecasts: { all(now: Now): readonly Forecast[] };
  readonly coverage: AdministerCoverage;
  readonly tokens: AdminTokens;
  readonly audit: AuditStore;
  readonly history: Pick<LoadHistory, 'view'>;
  /** Tells every target of alerts a test. */
  readonly testAlerts: (now: Now) => Promise<readonly TestedTarget[]>;
  readonly beginTrial: (stream: string, now: Now) => Trial;
  readonly explain: (request: DescribedRequest, now: Now) => Promise<Explanation>;
  /** Why the node cannot serve yet; absent when it can. */
  readonly unready: () => string | undefined;
};

type TokenView = Omit<AdminToken, 'hash'>;

/** Bearer tokens made through the API; the first one, of the configuration, is not among them. */
type AdminTokens = {
  list(): readonly TokenView[];
  create(
    wanted: { readonly name: string; readonly scope: AdminScope },
    by: { readonly who: string; readonly at: UnixMs },
  ): TokenView & { readonly token: string };
  revoke(id: string): TokenView;
};

export type Administer = ReturnType<typeof createAdminister>;

/** What an operator may ask and do. Reading waits for nothing; lists are in a fixed order. */
export function createAdminister(deps: Deps) {
  return {
    node: (now: Now) => nodeView(deps, now),

    ...administerStreams(deps),

    groups: (now: Now) => deps.groups(now),

    /** @throws not_found */
    group: (name: string, now: Now) =>
      found(deps.groups(now, (one) => one === name)[0], `group "${name}"`),

    /** Newest first. @throws store_failed */
    alerts: (state?: AlertState) => alertViews(deps.alerts.list(), deps.self().id, state),

    /** Tells whoever is told of alerts a test, and waits for what they make of it. */
    testAlerts: deps.testAlerts,

    /** An opening of a stream that will be redirected though this node could serve it. @throws not_found, conflict */
    beginTrial: deps.beginTrial,

    /** What would become of the viewers of each node that is there if it died now, by node. */
    forecast: (now: Now) => deps.forecasts.all(now),

    viewers: administerViewers(deps),
    drills: administerDrills(deps),

    /** Configured peers in their order, and nodes of the domain that ask this one without being among them. */
    peers: (now: Now) => ({
      peers: deps.peers.list(now).map((peer) => peerView(peer, now)),
      strangers: deps.peers.strangers(),
    }),

    key: () => deps.keys.view(),

    /** Makes the next key, unless one still spreads; it signs once the peers confirmed it. */
    rotateKey(now: Now) {
      deps.keys.rotate(now);
      return deps.keys.view();
    },

    sessions(page: SessionPage) {
      const { total, sessions } = deps.sessions.list(page);
      const rounded = sessions.map((session) => ({
        ...session,
        lastSeenAt: Math.round(session.lastSeenAt),
      }));
      return { total, sessions: rounded };
    },

    /** Load and viewers of all nodes over the last hour. */
    history: () => deps.history.view(),

    /** What a described viewer would be answered and why. */
    explain: deps.explain,
    coverage: deps.coverage,

    tokens: () => deps.tokens.list(),

    /** The answer holds the token, this once. @throws conflict when there are too many; store_failed */
    createToken: deps.tokens.create,

    /** @throws not_found; store_failed */
    revokeToken: deps.tokens.revoke,

    /** Keeps a change that was made. @throws store_failed */
    note: (entry: AuditEntry) => deps.audit.add(entry),

    /** Changes, newest first. @throws store_failed */
    changes: (page: Parameters<AuditStore['list']>[0]) => deps.audit.list(page),

    /** @throws not_ready with what the node still waits for */
    assertReady() {
      const wait = deps.unready();
      if (wait !== undefined) throw new AgentError('not_ready', wait);
    },
  };
}

function nodeView(deps: Deps, now: Now) {
  const { id, version, protocol, publicUrl, addresses, draining, ...facts } = deps.self();
  const peers = deps.peers.list(now);
  const { state, keys } = deps.keys.view();
  const offsets = new Map(
    peers.flatMap((peer) =>
      peer.facts !== undefined && peer.clock !== undefined
        ? [[peer.facts.id, peer.clock.offsetMs]]
        : [],
    ),
  );
  const streams = deps.catalogue.list();
  return {
    id,
    version,
    protocol,
    startedAt: deps.startedAt,
    publicUrl,
    addresses,
    draining,
    load: loadView(facts),
    clock: { at: now.wallMs, wrongNodes: whoIsWrong(id, offsets) },
    registry: {
      kind: 'peers' as const,
      peers: peers.length,
      reachable: peers.filter(({ reachability }) => reachability === 'reachable').length,
    },
    key: { state, signing: keys.find(({ signs }) => signs)?.id },
    counts: {
      streams: streams.length,
      onAir: streams.filter(({ name }) => isOnAir(airOf(deps.facts(name)))).length,
      ownSessions: facts.ownSessions,
      backupSessions: facts.backupSessions,
    },
  };
}

function peerView({ url, reachability, heardAt, fault, facts, clock, streams }: Peer, now: Now) {
  return {
    url,
    id: facts?.id,
    reachability,
    lastSeenAt: heardAt === undefined ? undefined : Math.round(now.wallMs - (now.monoMs - heardAt)),
    fault,
    version: facts?.version,
    protocol: facts?.protocol,
    publicUrl: facts?.publicUrl,
    addresses: facts?.addresses,
    draining: facts?.draining,
    hears: facts?.hears,
    clockOffsetMs: clock?.offsetMs,
    roundTripMs: clock?.roundTripMs,
    load: facts && loadView(facts),
    ownSessions: facts?.ownSessions,
    backupSessions: facts?.backupSessions,
    streams: streams.size,
  };
}
