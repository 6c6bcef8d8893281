import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agreeOnRun,
  type Following,
  hasWaited,
  keyOf,
  mayOffer,
  type PeerTimeline,
  type TimelineFacts,
} from '../../../src/core/timeline/agreement.ts';
import type { TimelineRun } from '../../../src/core/timeline/run.ts';

function aRun(fields: Partial<TimelineRun> = {}): TimelineRun {
  return {
    sequence: 100,
    foundedAt: 1_000,
    foundedBy: 'node-a',
    firstNumber: 1_000,
    originTicks: 0,
    segmentTicks: 180_000,
    targetDurationS: 2,
    layout: { video: 'h264', audio: [], others: [] },
    soundGrids: [],
    ...fields,
  };
}

function following(run: TimelineRun, fields: Partial<Following> = {}): Following {
  return { run, offset: 0, isOffered: false, ...fields };
}

const self: TimelineFacts = { nodeId: 'node-s' };

describe('a member that starts', () => {
  it('founds a run when nobody it reaches has one', () => {
    expect(agreeOnRun(self, [])).toEqual({ kind: 'found', previous: undefined });
    expect(agreeOnRun(self, [{ nodeId: 'node-p', difference: 5 }]).kind).toBe('found');
  });

  it('takes over the run of a proved member, with its own offset', () => {
    const run = aRun();
    const peer = { nodeId: 'node-p', following: following(run, { offset: 700 }), difference: 55 };
    expect(agreeOnRun(self, [peer])).toEqual({ kind: 'adopt', run, offset: 755 });
  });

  it('takes nothing over from a member whose source is not proved', () => {
    const peer = { nodeId: 'node-p', following: following(aRun(), { isOffered: true }) };
    expect(agreeOnRun(self, [peer]).kind).toBe('found');
  });

  it('gives its own run up for one that is offered, however late it was founded', () => {
    const own = following(aRun({ sequence: 900, foundedAt: 1 }));
    const offered = following(aRun({ sequence: 3, foundedAt: 9_999 }), { isOffered: true });
    const found = agreeOnRun({ ...self, following: own }, [
      { nodeId: 'node-p', following: offered, difference: 0 },
    ]);
    expect(found).toMatchObject({ kind: 'adopt', run: offered.run });
  });

  it('goes on from the highest sequence and number that anybody remembers', () => {
    const peers: PeerTimeline[] = [
      { nodeId: 'node-p', last: { sequence: 7, number: 500 } },
      { nodeId: 'node-q', last: { sequence: 6, number: 503 } },
    ];
    const previous = { sequence: 7, lastNumber: 503 };
    expect(agreeOnRun(self, peers)).toEqual({ kind: 'found', previous });
  });
});

describe('what is offered', () => {
  it('waits for every proved member to follow it', () => {
    const run = aRun();
    const own = { ...self, following: following(run) };
    const other = following(aRun({ foundedBy: 'node-p' }));
    const peer = (theirs: Following | undefined): PeerTimeline => ({
      nodeId: 'node-p',
      following: theirs,
      difference: 0,
    });
    expect(mayOffer(own, [], false)).toBe(true);
    expect(mayOffer(own, [peer(other)], true)).toBe(false);
    expect(mayOffer(own, [peer(undefined)], true)).toBe(false);
    expect(mayOffer(own, [peer(following(run))], false)).toBe(true);
    expect(mayOffer(self, [], false)).toBe(false);
  });

  it('waits for members that are not compared yet, and no longer', () => {
    const own = { ...self, following: following(aRun()) };
    const stranger = { nodeId: 'node-p' };
    expect(mayOffer(own, [stranger], false)).toBe(false);
    expect(mayOffer(own, [stranger], true)).toBe(true);
  });

  it.each([
    [11_999, 5, false],
    [12_000, 4, false],
    [12_000, 5, true],
    [12_000, undefined, true],
    [59_999, 4, false],
    [60_000, 0, true],
  ])('has waited for them after %i ms with %s keyframes: %s', (waitedMs, marks, expected) => {
    expect(hasWaited(waitedMs, marks)).toBe(expected);
  });

  it('is kept when the member that founded it dies', () => {
    const own = { ...self, following: following(aRun(), { isOffered: true }) };
    expect(agreeOnRun(own, [])).toEqual({ kind: 'keep' });
    expect(mayOffer(own, [], false)).toBe(true);
  });

  it('twice, after a partition, ends in one new run founded by one of the two', () => {
    const a: TimelineFacts = {
      nodeId: 'node-a',
      following: following(aRun(), { isOffered: true }),
      last: { sequence: 100, number: 1_050 },
    };
    const b: TimelineFacts = {
      nodeId: 'node-b',
      following: following(aRun({ foundedBy: 'node-b' }), { isOffered: true, offset: 30 }),
      last: { sequence: 100, number: 1_100 },
    };
    const previous = { sequence: 100, lastNumber: 1_100 };
    expect(agreeOnRun(a, [{ ...b, difference: 10 }])).toEqual({ kind: 'found', previous });
    expect(agreeOnRun(b, [{ ...a, difference: -10 }])).toEqual({ kind: 'keep' });
    const merged = aRun({ sequence: 101, succeeds: 100, firstNumber: 1_101 });
    const moved = { ...a, following: following(merged, { offset: 8 }) };
    const found = agreeOnRun(b, [{ ...moved, difference: -10 }]);
    expect(found).toEqual({ kind: 'adopt', run: merged, offset: -2 });
  });
});

/** All runs that were founded, by their keys. */
const runs = new Map<string, TimelineRun>();

/** Members of one source that see each other late, die and come back. */
class Domain {
  readonly names = ['node-a', 'node-b', 'node-c'];
  readonly nodes = new Map(this.names.map((name) => [name, new Node(name)] as const));
  second = 0;

  at(index: number): Node {
    return this.nodes.get(this.names[index] ?? '') ?? new Node('nobody');
  }

  /** One hears what the other says of itself. */
  ask(node: Node, other: Node): void {
    if (node.isUp && other.isUp && node !== other) node.heard.set(other.facts.nodeId, other.facts);
  }

  decide(): void {
    this.second += 1;
    for (const node of this.nodes.values()) {
      const heard = [...node.heard.values()].filter(({ nodeId }) => this.nodes.get(nodeId)?.isUp);
      if (node.isUp) node.decide(heard, this.second);
    }
  }

  settle(): void {
    const all = [...this.nodes.values()];
    for (const node of all) if (!node.isUp) node.toggle(this.second);
    for (let round = 0; round < 40; round += 1) {
      for (const node of all) for (const other of all) this.ask(node, other);
      this.decide();
    }
  }
}

class Node {
  facts: TimelineFacts;
  isUp = false;
  startedAt = 0;
  readonly heard = new Map<string, TimelineFacts>();
  readonly offered: { sequence: number; number: number }[] = [];

  constructor(nodeId: string) {
    this.facts = { nodeId };
  }

  toggle(second: number): void {
    this.isUp = !this.isUp;
    this.startedAt = second;
    this.heard.clear();
    this.facts = { nodeId: this.facts.nodeId, last: this.facts.last };
  }

  decide(heard: readonly TimelineFacts[], second: number): void {
    const peers = heard.map((peer) => ({ ...peer, difference: 0 }));
    const decision = agreeOnRun(this.facts, peers);
    if (decision.kind !== 'keep') {
      const head =
        decision.kind === 'adopt' ? decision.run : this.#found(decision.previous, second);
      const run = runs.get(keyOf(head)) ?? aRun({});
      this.facts = { ...this.facts, following: following(run) };
    }
    this.#offer(peers, second);
  }

  #found(previous: { sequence: number; lastNumber: number } | undefined, second: number) {
    const run = aRun({
      sequence: previous === undefined ? 100 + second : previous.sequence + 1,
      succeeds: previous?.sequence,
      foundedAt: second,
      foundedBy: this.facts.nodeId,
      firstNumber: previous === undefined ? 1_000 + second : previous.lastNumber + 1,
      originTicks: second * 90_000,
      segmentTicks: 90_000,
    });
    runs.set(keyOf(run), run);
    return run;
  }

  #offer(peers: readonly PeerTimeline[], second: number): void {
    const { following: own, last } = this.facts;
    if (own === undefined) return;
    const run = runs.get(keyOf(own.run)) ?? aRun({});
    const number = run.firstNumber + second - run.originTicks / 90_000;
    const isAhead = number > (last?.number ?? 0);
    const isOffered = isAhead && mayOffer(this.facts, peers, second - this.startedAt >= 12);
    const { sequence } = own.run;
    if (isOffered) this.offered.push({ sequence, number });
    const newest = isOffered ? { sequence, number } : last;
    this.facts = { ...this.facts, following: { ...own, isOffered }, last: newest };
  }
}

describe('members that start, die and return in any order', () => {
  const event = fc.record({
    who: fc.nat(2),
    kind: fc.constantFrom('toggle', 'ask', 'ask', 'ask', 'wait'),
    whom: fc.nat(2),
  });

  it('end on one run, all of them, and no number of any of them ever fell', () => {
    const play = (
      domain: Domain,
      events: readonly { who: number; kind: string; whom: number }[],
    ) => {
      for (const { who, kind, whom } of events) {
        if (kind === 'toggle') domain.at(who).toggle(domain.second);
        if (kind === 'ask') domain.ask(domain.at(who), domain.at(whom));
        domain.decide();
      }
    };
    const property = fc.property(fc.array(event, { maxLength: 80 }), (events) => {
      const domain = new Domain();
      play(domain, events);
      domain.settle();
      const nodes = [...domain.nodes.values()];
      const keys = nodes.map(({ facts }) => facts.following && keyOf(facts.following.run));
      expect(new Set(keys).size).toBe(1);
      expect(nodes.every(({ facts }) => facts.following?.isOffered)).toBe(true);
      expect(nodes.filter(({ offered }) => hasFallen(offered))).toEqual([]);
    });
    fc.assert(property, { numRuns: 300 });
  });
});

/** Whether a number was offered that is not above the one before, or a sequence below it. */
function hasFallen(offered: readonly { sequence: number; number: number }[]): boolean {
  return offered.slice(1).some(({ sequence, number }, index) => {
    const before = offered[index];
    return number <= (before?.number ?? 0) || sequence < (before?.sequence ?? 0);
  });
}
