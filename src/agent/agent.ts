import type { AgentPorts, AgentSettings } from './agent-settings.ts';
import { Arrivals } from './arrivals.ts';
import type { Cycle } from './cycles.ts';
import { Drills } from './drill/drills.ts';
import { createLiveCycle, liveTickMs } from './live-cycle.ts';
import { createNodeParts, type NodeParts } from './node-parts.ts';
import { createNodeWatch } from './node-watch.ts';
import { Passes } from './passes.ts';
import type { AnswerPeers } from './peer-ports.ts';
import { SentBytes } from './sent-bytes.ts';
import { createSpread } from './spread.ts';
import { createStandIn } from './stand-in.ts';
import { createTrials } from './trials.ts';
import { Viewing } from './viewing.ts';

const secondMs = 1_000;

/** The agent of one node, put together from its parts; nothing runs until its cycles and `peers` are started. */
export function createAgent(ports: AgentPorts, settings: AgentSettings) {
  const parts = createNodeParts(ports, settings);
  const { timelines, live, archive, visitors, keys, self, peers, outlook, staging } = parts;
  const { sessions, admission, drain, notes, slots } = visitors;
  const { spread, viewing, passes } = createViewing(ports, settings.id, parts);
  const watch = createNodeWatch(ports, settings.id, parts, spread);
  const { forecasts, groups, history, explain, alerting, coverage } = watch;
  const cycles: readonly Cycle[] = [
    createLiveCycle(live),
    { name: 'timelines', everyMs: liveTickMs, run: (now) => timelines.tick(now) },
    { name: 'load history', everyMs: secondMs, run: (now) => history.tick(now) },
    ...visitors.cycles,
    { name: 'viewing keys', everyMs: secondMs, run: (now) => keys.tick(now, peers.list(now)) },
    ...alerting.cycles,
    ...archive.cycles,
    archive.refillFrom({ outlook, keys, self, passes }),
  ];
  const answerPeers: AnswerPeers = {
    ask: (question, now) => peers.answer(question, now),
    compare: (question, now) => timelines.answer(question, now),
    segment: (name) => timelines.segment(name),
  };
  return {
    live,
    timelines,
    coverage,
    archive,
    coverages: archive.coverages,
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
    testAlerts: alerting.test,
    beginTrial: createTrials({
      ...{ self, drain, keys, passes, newId: ports.newId },
      config: (name) => live.config(name),
    }),
    forecasts,
    explain,
    drills: new Drills({
      ...{ ...ports, self, live, outlook, keys, passes, sessions, staging },
      openConnection: ports.openProbeConnection,
    }),
    history,
    cycles,
    setAddresses: parts.setAddresses,
  };
}

/** How viewers' requests are answered. */
function createViewing(ports: AgentPorts, nodeId: string, parts: NodeParts) {
  const { timelines, live, archive, visitors, auth, keys, self, peers, outlook, staging } = parts;
  const { sessions, audience, admission, drain, notes, slots } = visitors;
  const passes = new Passes({ signer: ports.signer, keyOf: (id) => keys.keyOf(id) });
  const arrivals = new Arrivals({ nodeId, passes, sessions, notes, slots });
  const spread = createSpread(nodeId);
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
      staging,
      notes,
      slots,
      sent: new SentBytes(sessions),
      auth,
      spread,
      newId: ports.newId,
    },
  });
  return { spread, viewing, passes };
}
