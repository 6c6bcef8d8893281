import type { LoadLimits } from '../core/load/load.ts';
import { administerCoverage } from './administer-coverage.ts';
import type { AlertStore, AlertTarget } from './alert-ports.ts';
import { createAlerting } from './alerting.ts';
import { createArchiveParts } from './archive/archive-parts.ts';
import type { AskRecordings, CoverageStore, OpenDvr, OpenScannedFolder } from './archive-ports.ts';
import { Arrivals } from './arrivals.ts';
import type { Cycle } from './cycles.ts';
import { createExplain } from './explain.ts';
import { Forecasts } from './forecasts.ts';
import { createGroupReports } from './group-reports.ts';
import type { ReadMeaning } from './live-snapshots.ts';
import { LiveStreams } from './live-streams.ts';
import { LoadHistory } from './load-history.ts';
import { Outlook } from './outlook.ts';
import { Passes } from './passes.ts';
import type { AnswerPeers, PeerLink } from './peer-ports.ts';
import { Peers } from './peers.ts';
import type {
  Checksum,
  Clock,
  KeyStore,
  KeyWrap,
  Log,
  NewId,
  OpenFeed,
  OpenOrigin,
  PassSigner,
  RandomBytes,
  ReadLoad,
  TimelineStore,
  Timers,
} from './ports.ts';
import { createSelf } from './self.ts';
import { SentBytes } from './sent-bytes.ts';
import { createSpread } from './spread.ts';
import { createStandIn } from './stand-in.ts';
import { openTimeline } from './timeline/open-timeline.ts';
import { Timelines } from './timeline/timelines.ts';
import { ViewerAuth, type ViewerAuthDeps } from './viewer-auth.ts';
import { Viewing } from './viewing.ts';
import { ViewingKeys } from './viewing-keys.ts';
import { createVisitors } from './visitors.ts';

/** How often it is looked which playlists are due; they are due far less often. */
const liveTickMs = 100;
const secondMs = 1_000;

/** The outside world of one agent. */
export type AgentPorts = {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly newId: NewId;
  readonly randomBytes: RandomBytes;
  readonly openOrigin: OpenOrigin;
  readonly isFeed: (entry: string) => boolean;
  readonly openFeed: OpenFeed;
  readonly readMeaning: ReadMeaning;
  readonly keyStore: KeyStore;
  readonly coverageStore: CoverageStore;
  /** Absent: nothing is recorded here. */
  readonly openDvr?: OpenDvr | undefined;
  /** Absent: archives in folders, or at media servers, are not known. */
  readonly openScannedFolder?: OpenScannedFolder | undefined;
  readonly askRecordings?: AskRecordings | undefined;
  /** Absent without a cluster secret: then keys never leave the node. */
  readonly keyWrap?: KeyWrap | undefined;
  readonly signer: PassSigner;
  readonly link: PeerLink;
  readonly checksum: Checksum;
  readonly timelineStore: TimelineStore;
  /** Lets others have their turn. */
  readonly pause: () => Promise<void>;
  /** Absent: viewers need no token. */
  readonly viewerAuth?: Omit<ViewerAuthDeps, 'log'> | undefined;
  /** Absent: load is not known, and refuses nobody. */
  readonly readLoad?: ReadLoad | undefined;
  readonly alertStore: AlertStore;
  readonly alertTargets: readonly AlertTarget[];
};

export type AgentSettings = {
  readonly id: string;
  readonly version: string;
  readonly publicUrl?: string | undefined;
  readonly weight: number;
  readonly passTtlS: number;
  readonly backupSessionsMax?: number | undefined;
  readonly loadLimits?: LoadLimits | undefined;
  readonly loginLimitScope?: 'node' | 'group' | undefined;
  readonly segmentCacheBytesMax?: number | undefined;
  readonly peerUrls: readonly string[];
};

/** The agent of one node, put together from its parts; nothing runs until its cycles and `peers` are started. */
export function createAgent(ports: AgentPorts, settings: AgentSettings) {
  const { clock, log, newId, randomBytes } = ports;
  const { peerUrls, segmentCacheBytesMax, ...node } = settings;
  const boot = newId();
  const timelines = new Timelines({
    ...{ clock, log, link: ports.link, checksum: ports.checksum, nodeId: node.id, boot },
    store: ports.timelineStore,
    peers: (now) => peers.list(now),
  });
  const live = new LiveStreams({
    ...{ ...ports, segmentCacheBytesMax },
    openTimeline: (config, isFeed) => openTimeline(timelines, config, isFeed),
    closeTimeline: (timeline) => timelines.close(timeline),
    canOthersServe: (stream, protocol, now) => outlook.canServe(stream, protocol, now),
    // Who could serve instead must know at once: both could leave the air within the same second.
    onAirChange: () => void peers.tell(),
  });
  const archive = createArchiveParts(ports, live);
  const { coverages, archives } = archive;
  const visitors = createVisitors(node, { readLoad: ports.readLoad, peers: () => peers });
  const { sessions, audience, admission, drain, notes, slots } = visitors;
  const auth = ports.viewerAuth && new ViewerAuth({ ...ports.viewerAuth, log });
  const keys = new ViewingKeys({
    ...{ clock, log, newId, randomBytes },
    store: ports.keyStore,
    wrap: ports.keyWrap,
    passTtlS: node.passTtlS,
    peersExpected: peerUrls.length,
  });
  let addresses: readonly string[] = [];
  const self = createSelf({
    ...{ ...node, sessions, audience, admission, drain, keys, addresses: () => addresses },
  });
  const peers = new Peers({
    ...{ clock, timers: ports.timers, log, link: ports.link, urls: peerUrls, self, boot },
    ownStreams: () => archives.facts(clock.now()),
    notes,
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
    source: (stream, node) => timelines.source(stream, node),
  });
  const passes = new Passes({ signer: ports.signer, keyOf: (id) => keys.keyOf(id) });
  const arrivals = new Arrivals({ nodeId: node.id, passes, sessions, notes });
  const spread = createSpread(node.id);
  const standIn = createStandIn({
    self,
    peers: (now) => peers.list(now),
    ownStreams: () => live.allFacts(),
    source: (stream, node) => timelines.source(stream, node),
  });
  const viewing = new Viewing({
    ...{
      self,
      live,
      archive,
      outlook,
      standIn,
      arrivals,
      passes,
      keys,
      sessions,
      audience,
      admission,
      drain,
      notes,
      slots,
      sent: new SentBytes(sessions),
      auth,
      spread,
      newId,
    },
  });
  const forecasts = new Forecasts({ self, peers: (now) => peers.list(now) });
  const groups = createGroupReports({
    ...{ self, outlook },
    facts: () => archives.facts(clock.now()).facts,
    peers: (now) => peers.list(now),
    signingKeyId: () => keys.signing()?.id,
    hasPublicViewers: (now) => audience.hasPublicViewers(now),
    losses: (now) => forecasts.losses(now),
    damagedLately: (stream, now) => timelines.damage(stream, now)?.lately ?? 0,
  });
  const history = new LoadHistory({ self, peers: (now) => peers.list(now) });
  const explain = createExplain({ live, outlook, spread, archive });
  const alerting = createAlerting({
    ...{ nodeId: node.id, ports, groups, peers, keys, audience, admission, live },
  });
  const cycles: readonly Cycle[] = [
    // One origin that hangs must not hold up the next look at the others.
    { name: 'live streams', everyMs: liveTickMs, overlaps: true, run: (now) => live.tick(now) },
    { name: 'timelines', everyMs: liveTickMs, run: (now) => timelines.tick(now) },
    { name: 'load history', everyMs: secondMs, run: (now) => history.tick(now) },
    ...visitors.cycles,
    { name: 'viewing keys', everyMs: secondMs, run: (now) => keys.tick(now, peers.list(now)) },
    ...alerting.cycles,
    ...archive.cycles,
    archive.refillFrom(outlook),
  ];
  const setAddresses = (own: readonly string[]) => {
    addresses = own;
  };
  const answerPeers: AnswerPeers = {
    ask: (question, now) => peers.answer(question, now),
    compare: (question, now) => timelines.answer(question, now),
    segment: (name) => timelines.segment(name),
  };
  const coverage = administerCoverage({
    ...{ coverages, troubles: archive.troubles },
    config: (name) => live.config(name),
    candidates: (name, now) => outlook.candidates(name, now),
  });
  return {
    live,
    timelines,
    coverage,
    archive,
    coverages,
    answerPeers,
    sessions,
    admission,
    keys,
    self,
    peers,
    drain,
    notes,
    slots,
    viewing,
    groups,
    alerts: alerting.alerts,
    stopAlerting: alerting.stop,
    forecasts,
    explain,
    history,
    cycles,
    setAddresses,
  };
}
