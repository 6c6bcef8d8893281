import { administerCoverage } from './administer-coverage.ts';
import type { AgentPorts } from './agent-settings.ts';
import { createAlerting } from './alerting.ts';
import { createExplain } from './explain.ts';
import { Forecasts } from './forecasts.ts';
import { createGroupReports } from './group-reports.ts';
import { LoadHistory } from './load-history.ts';
import type { NodeParts } from './node-parts.ts';
import type { Spread } from './spread.ts';

/** What is told of a node: to its operator, to alert receivers, to who asks why. */
export function createNodeWatch(
  ports: AgentPorts,
  nodeId: string,
  parts: NodeParts,
  spread: Spread,
) {
  const { clock } = ports;
  const { timelines, live, archive, visitors, auth, keys, self, peers, outlook } = parts;
  const { audience, admission, drain, slots } = visitors;
  const forecasts = new Forecasts({ self, peers: (now) => peers.list(now) });
  const groups = createGroupReports({
    ...{ self, outlook },
    facts: () => archive.archives.facts(clock.now()).facts,
    peers: (now) => peers.list(now),
    signingKeyId: () => keys.signing()?.id,
    hasPublicViewers: (now) => audience.hasPublicViewers(now),
    losses: (now) => forecasts.losses(now),
    damagedLately: (stream, now) => timelines.damage(stream, now)?.lately ?? 0,
  });
  const history = new LoadHistory({ self, peers: (now) => peers.list(now) });
  const explain = createExplain({
    ...{ live, outlook, spread, drain, archive, auth, slots, admission },
  });
  const alerting = createAlerting({
    ...{ nodeId, ports, groups, peers, keys, audience, admission, live },
  });
  const coverage = administerCoverage({
    ...{ coverages: archive.coverages, troubles: archive.troubles },
    config: (name) => live.config(name),
    candidates: (name, now) => outlook.candidates(name, now),
  });
  return { forecasts, groups, history, explain, alerting, coverage };
}
