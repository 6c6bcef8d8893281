import { heardFacts } from '../core/group/node.ts';
import type { AgentPorts, AgentSettings } from './agent-settings.ts';
import { createArchiveParts } from './archive/archive-parts.ts';
import { Staging } from './drill/staging.ts';
import { createFingerprint } from './fingerprint.ts';
import { LiveStreams } from './live-streams.ts';
import { Outlook } from './outlook.ts';
import { Peers } from './peers.ts';
import { createSeek } from './seek.ts';
import { createSelf } from './self.ts';
import { openTimeline } from './timeline/open-timeline.ts';
import { Timelines } from './timeline/timelines.ts';
import { ViewerAuth } from './viewer-auth.ts';
import { ViewingKeys } from './viewing-keys.ts';
import { createVisitors } from './visitors.ts';

/**
 * What a node is made of: its streams, who watches them, its keys and its peers, each asking the others only once it runs.
 */
export function createNodeParts(ports: AgentPorts, settings: AgentSettings) {
  const { clock, log, newId, randomBytes } = ports;
  const { peerUrls, segmentCacheBytesMax, windowBytesMax, hasWorkers: _, ...node } = settings;
  const boot = newId();
  const timelines = new Timelines({
    ...{ clock, log, link: ports.link, checksum: ports.checksum, nodeId: node.id, boot },
    store: ports.timelineStore,
    windowBytesMax,
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
  const { archives } = archive;
  const fingerprint = createFingerprint(ports.checksum);
  const { readLoad } = ports;
  const visitors = createVisitors(node, { readLoad, fingerprint, peers: () => peers });
  const { sessions, audience, admission, drain, notes } = visitors;
  const auth = ports.viewerAuth && new ViewerAuth({ ...ports.viewerAuth, fingerprint, log });
  const keys = new ViewingKeys({
    ...{ clock, log, newId, randomBytes },
    store: ports.keyStore,
    wrap: ports.keyWrap,
    passTtlS: node.passTtlS,
    peersExpected: peerUrls.length,
  });
  const staging = new Staging(ports);
  let addresses: readonly string[] = [];
  let heard: readonly string[] = [];
  const self = createSelf({
    ...{ ...node, sessions, audience, admission, drain, keys, addresses: () => addresses },
    heard: () => heard,
  });
  const peers = new Peers({
    ...{ clock, timers: ports.timers, log, link: ports.link, urls: peerUrls, self, boot },
    ownStreams: () => archives.facts(clock.now()),
    notes,
    seek: createSeek({ staging, sessions }),
    wrappedKeys: () => keys.wrapped(),
    absorbKeys: (wrapped) => keys.absorb(wrapped, clock.now()),
    lacksKeys: (ids) => keys.lacks(ids),
  });
  peers.onChange(() => {
    heard = heardFacts(peers.list(clock.now())).map(({ id }) => id);
  });
  const outlook = new Outlook({
    self,
    facts: (name) => live.facts(name),
    factsVersion: () => live.factsVersion,
    peers: (now) => peers.list(now),
    peerChanges: () => peers.changes,
    signingKeyId: () => keys.signing()?.id,
    source: (stream, node) => timelines.source(stream, node),
  });
  const setAddresses = (own: readonly string[]) => {
    addresses = own;
  };
  return {
    ...{ timelines, live, archive, visitors, auth, keys, self, peers, outlook, staging },
    setAddresses,
  };
}

export type NodeParts = ReturnType<typeof createNodeParts>;
