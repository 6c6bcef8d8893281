import { remedyOf } from '../alert/remedies.ts';
import { skewVerdict } from '../group/clock-offset.ts';
import { type ReasonCode, reasonTexts } from '../reasons.ts';
import type { CheckFacts, GroupFacts, PeerFacts } from './facts.ts';
import { type Finding, finding } from './findings.ts';

/** Clocks that NTP keeps are within some ms; exactly this much is still fine. */
const clockMsMax = 5_000;

/** Every group has a backup and no problem, and viewers of one node are believed by the others. */
export function judgeGroups({ groups, keyState }: CheckFacts): readonly Finding[] {
  return [
    ...(groups.length === 0
      ? [finding('groups-missing', { text: 'no stream of this node is in a group' })]
      : groups.flatMap(judgeGroup)),
    ...(keyState === 'in-force'
      ? []
      : [finding('key-not-in-force', { text: `the viewing key is ${keyState}` })]),
  ];
}

function judgeGroup({ name: group, state, problems }: GroupFacts): readonly Finding[] {
  return [
    ...(state === 'none'
      ? [finding('group-without-backup', { group, text: `no node can stand in for ${group}` })]
      : []),
    ...problems.map(({ code, text, node }) =>
      finding('group-problem', {
        ...{ group, node, text: `${text} (${code})` },
        remedy: isReasonCode(code) ? remedyOf(code) : undefined,
      }),
    ),
  ];
}

function isReasonCode(code: string): code is ReasonCode {
  return Object.hasOwn(reasonTexts, code);
}

/** Every node hears every other one, and is heard by it; and their clocks agree. */
export function judgePeers(facts: CheckFacts): readonly Finding[] {
  const { self, hears, peers, strangers } = facts;
  const known = peers.filter(({ reachability }) => reachability === 'reachable');
  const ears = [
    { id: self, hears },
    ...known.flatMap(({ id, hears: heard }) => (id && heard ? [{ id, hears: heard }] : [])),
  ];
  const there = [self, ...known.flatMap(({ id }) => id ?? [])];
  return [
    ...peers.filter(({ reachability }) => reachability !== 'reachable').map(unreachable),
    ...ears.flatMap((ear) =>
      there
        .filter((id) => id !== ear.id && !ear.hears.includes(id))
        .map((id) => finding('peer-deaf', { node: ear.id, text: `${ear.id} does not hear ${id}` })),
    ),
    ...strangers.map((id) =>
      finding('peer-unlisted', { node: id, text: `${id} asks ${self}, which does not ask it` }),
    ),
    ...peers.flatMap((peer) => judgeClock(peer, facts)),
  ];
}

function unreachable({ url, id, fault, reachability }: PeerFacts): Finding {
  const why = fault ?? `reachability is ${reachability}`;
  return finding('peer-unreachable', {
    node: id ?? url,
    text: `${id ?? 'peer'} at ${url}: ${why}`,
  });
}

function judgeClock(peer: PeerFacts, { self, wrongClocks }: CheckFacts): readonly Finding[] {
  const { id, clockOffsetMs: offsetMs } = peer;
  if (id === undefined || offsetMs === undefined || peer.reachability !== 'reachable') return [];
  const apart = `the clock of ${id} is ${seconds(offsetMs)} s off that of ${self}`;
  if (skewVerdict({ offsetMs, roundTripMs: 0 }) !== undefined) {
    const wrong = [id, self].find((one) => wrongClocks.includes(one));
    const text = wrong === undefined ? apart : `${apart}: that of ${wrong} is wrong`;
    return [finding('clock-skew', { node: wrong, text })];
  }
  return Math.abs(offsetMs) > clockMsMax ? [finding('clock-apart', { node: id, text: apart })] : [];
}

/** With the sign, to a tenth. */
function seconds(ms: number): string {
  return `${ms > 0 ? '+' : ''}${(ms / 1000).toFixed(1)}`;
}
