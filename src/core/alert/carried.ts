import type { Peer } from '../group/node.ts';
import { type ReasonCode, reasonTexts } from '../reasons.ts';
import type { AirState, StreamFacts } from '../stream/stream.ts';
import type { AlertSubject } from './alert.ts';
import type { SeenFault } from './holds.ts';

/** Viewers of another node who watch here. */
export type Carried = {
  readonly group: string;
  /** Id of their home node. */
  readonly home: string;
  readonly sessions: number;
};

/** How a home node serves a group itself. `gone`: it does not carry it any more, or is drained on purpose. */
type Serving =
  | { readonly kind: 'serves' | 'gone' }
  | { readonly kind: 'fails' | 'unsure'; readonly reason: ReasonCode };

/**
 * Alert 70: viewers of a node or stream that fails are carried here. `told` are the subjects told already: those stay
 * until their own node serves again, also when the last of their viewers has left.
 */
export function switchFaults(
  carried: readonly Carried[],
  told: readonly AlertSubject[],
  peers: readonly Peer[],
): readonly SeenFault[] {
  const byHome = new Map(carried.map((one) => [`${one.home} ${one.group}`, one]));
  for (const { code, group, node } of told)
    if (code === 70 && group !== undefined && !byHome.has(`${node} ${group}`))
      byHome.set(`${node} ${group}`, { group, home: node, sessions: 0 });
  return [...byHome.values()].flatMap(({ group, home, sessions }): SeenFault[] => {
    const serving = servingAt(peers, home, group);
    if (serving.kind !== 'fails' && serving.kind !== 'unsure') return [];
    const isSure = serving.kind === 'fails' && sessions > 0;
    return [
      {
        code: 70,
        group,
        node: home,
        cause: serving.reason,
        text: `viewers of ${home} watch group ${group} at other nodes: ${reasonTexts[serving.reason]}`,
        ...(!isSure && { onlyKeeps: true as const }),
      },
    ];
  });
}

function servingAt(peers: readonly Peer[], home: string, group: string): Serving {
  const peer = peers.find(({ facts }) => facts?.id === home);
  if (peer?.facts === undefined || peer.facts.draining) return { kind: 'gone' };
  if (peer.reachability === 'unreachable') return { kind: 'fails', reason: 'unreachable' };
  if (peer.reachability === 'unknown') return { kind: 'unsure', reason: 'reachability-unknown' };
  const streams = [...peer.streams.values()].filter((stream) => stream.group === group);
  const airs = streams.map(airOf);
  if (airs.length === 0) return { kind: 'gone' };
  const [off] = airs;
  return off === undefined || airs.some(({ onAir }) => onAir) || off.onAir
    ? { kind: 'serves' }
    : { kind: 'fails', reason: off.reason };
}

function airOf({ hls, dash }: StreamFacts): AirState {
  return hls?.air ?? dash?.air ?? { onAir: false, reason: 'starting' };
}
