import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ArchiveFacts, packRanges } from '../../../src/core/archive/archive-facts.ts';
import type { ArchiveWish } from '../../../src/core/archive/archive-members.ts';
import { placeArchive } from '../../../src/core/archive/place-archive.ts';
import { missingMs, planPieces } from '../../../src/core/archive/plan.ts';
import {
  intersectRanges,
  mergeRanges,
  subtractRanges,
  type TimeRange,
  totalMs,
} from '../../../src/core/archive/ranges.ts';
import { judgeCandidates } from '../../../src/core/placement/candidates.ts';
import { aNode, aPeer, aStreamFacts, aViewer, testKeyId, testNow } from '../../support/builders.ts';

const hourMs = 3_600_000;
const period: TimeRange = { startMs: testNow.wallMs - 2 * hourMs, endMs: testNow.wallMs - hourMs };
const part = (from: number, to: number): TimeRange => ({
  startMs: period.startMs + from * 60_000,
  endMs: period.startMs + to * 60_000,
});

type Node = {
  readonly ranges: readonly TimeRange[];
  readonly container?: 'ts' | 'fmp4';
  readonly facts?: Partial<ReturnType<typeof aNode>>;
  readonly archive?: Partial<ArchiveFacts>;
  readonly stream?: Parameters<typeof aStreamFacts>[0];
};

/** A wish at node A, which has `own`; the others are nodes B, C ... */
function place(
  own: readonly TimeRange[],
  others: readonly Node[],
  wish: Partial<ArchiveWish> = {},
) {
  const peers = others.map(({ ranges, container = 'ts', facts, archive, stream }, at) =>
    aPeer({
      facts: { id: `node-${String.fromCharCode(98 + at)}`, ...facts },
      streams: [
        aStreamFacts({
          ...stream,
          archive: {
            ...{ depthMs: 24 * hourMs, hls: true, dash: false, lists: true },
            [container]: packRanges(ranges, testNow.wallMs, undefined),
            ...archive,
          },
        }),
      ],
    }),
  );
  const candidates = judgeCandidates({
    self: aNode(),
    name: 'ch1',
    own: aStreamFacts(),
    ...{ peers, signingKeyId: testKeyId, now: testNow },
  });
  return placeArchive({
    ...{ stream: 'ch1', protocol: 'hls', container: 'ts', period, form: 'entry' },
    ...{ nowMs: testNow.wallMs, viewer: aViewer(), arrival: { kind: 'own' }, candidates },
    own: (container) => (container === 'ts' ? own : []),
    joins: () => true,
    sentLately: new Map(),
    ...wish,
  });
}

describe('a period of the archive', () => {
  it.each([
    ['this node has it', [period], [[period]], 'serve'],
    ['nobody has more', [part(0, 30)], [[part(0, 20)]], 'serve'],
    ['another has a second more', [part(0, 30)], [[part(0, 30 + 1 / 60)]], 'redirect'],
    ['another has less than a second more', [part(0, 30)], [[part(0, 30 + 0.9 / 60)]], 'serve'],
    ['only another has some', [], [[part(0, 20)]], 'redirect'],
    ['they have more together', [part(0, 30)], [[part(30, 60)]], 'join'],
    ['others have more together', [], [[part(0, 30)], [part(30, 60)]], 'join'],
    ['nobody has any', [], [[]], 'not-found'],
  ] as const)('is answered where %s: %s', (_, own, others, kind) => {
    expect(
      place(
        own,
        others.map((ranges) => ({ ranges })),
      ).kind,
    ).toBe(kind);
  });

  it('goes to the node with the fewest missing seconds, then to the least loaded', () => {
    const target = (others: readonly Node[]) => {
      const placed = place([], others, { joins: () => false });
      return placed.kind === 'redirect' ? placed.target.node.id : placed.kind;
    };
    expect(target([{ ranges: [part(0, 20)] }, { ranges: [part(0, 30), part(40, 41)] }])).toBe(
      'node-c',
    );
    const loaded = { facts: { ownSessions: 10 } };
    expect(target([{ ranges: [period], ...loaded }, { ranges: [period] }])).toBe('node-c');
    expect(target([{ ranges: [period] }, { ranges: [period], ...loaded }])).toBe('node-b');
  });

  it.each([
    ['of another container', { container: 'fmp4' }],
    ['that does not answer for its archive', { archive: { hls: false } }],
    ['that is overloaded', { facts: { overloaded: true } }],
    ['that is being drained', { facts: { draining: true } }],
    ['that the viewer cannot reach', { facts: { publicUrl: 'http://10.0.0.7' } }],
  ] as const)('is never asked of a node %s', (_, node) => {
    expect(place([], [{ ranges: [period], ...node }]).kind).toBe('not-found');
  });

  it('may be asked of a node whose live stream is off the air', () => {
    const stream = { hls: { air: { onAir: false, reason: 'frozen' } } } as const;
    expect(place([], [{ ranges: [period], stream }]).kind).toBe('redirect');
  });

  it('is never sent back, and not on for a third time', () => {
    const arrival = (home: string, hops: readonly string[]) =>
      place([], [{ ranges: [period] }], {
        arrival: { kind: 'backup', home, hops },
        joins: () => false,
      });
    expect(arrival('node-b', []).kind).toBe('not-found');
    expect(arrival('node-x', ['node-b']).kind).toBe('not-found');
    expect(arrival('node-x', ['node-y', 'node-z'])).toMatchObject({ reason: 'hops-exhausted' });
    expect(arrival('node-x', ['node-y'])).toMatchObject({
      kind: 'redirect',
      hops: ['node-y', 'node-a'],
    });
  });

  it('has pieces of the node that the viewer comes from', () => {
    const arrival = { kind: 'backup', home: 'node-b', hops: [] } as const;
    const others = [{ ranges: [part(0, 30)] }];
    for (const form of ['entry', 'media'] as const) {
      const placed = place([part(20, 60)], others, { arrival, form });
      expect(placed).toMatchObject({ kind: 'join', missingMs: 0, offers: [] });
    }
    // Better than nothing, or than sending the viewer back.
    expect(place([], [{ ranges: [period] }], { arrival }).kind).toBe('join');
  });

  it('says what the home node alone had when that has died: the player has its playlist', () => {
    const arrival = { kind: 'backup', home: 'node-b', hops: [] } as const;
    const dead = [{ ranges: [part(0, 30)], facts: { draining: true } }];
    const pieces = (wish: Partial<ArchiveWish>) => {
      const placed = place([part(20, 60)], dead, { arrival, ...wish });
      return 'pieces' in placed ? placed.pieces.map(({ node, isLost }) => [node, isLost]) : [];
    };
    const own = ['node-a', undefined];
    expect(pieces({ form: 'media' })).toEqual([[undefined, true], own]);
    // Who opens it has no playlist yet, and another node's pieces were never in it.
    expect(pieces({ form: 'entry' })).toEqual([[undefined, undefined], own]);
    expect(pieces({ form: 'media', joins: () => false })).toEqual([[undefined, undefined], own]);
    const elsewhere = { ...arrival, home: 'node-x' };
    expect(pieces({ form: 'media', arrival: elsewhere })).toEqual([[undefined, undefined], own]);
  });

  it('is not served here to a refused viewer of another node, but elsewhere', () => {
    const arrival = { kind: 'backup', home: 'node-x', hops: [], refusal: 'overloaded' } as const;
    expect(place([period], [{ ranges: [period] }], { arrival }).kind).toBe('redirect');
    expect(place([period], [], { arrival })).toMatchObject({
      kind: 'not-found',
      reason: 'overloaded',
    });
  });

  it('is answered to a player that has its playlists, with all there is', () => {
    const placed = place([part(0, 10)], [{ ranges: [period] }], { form: 'media' });
    expect(placed).toMatchObject({ kind: 'join', missingMs: 0 });
    const alone = place([part(0, 10)], [{ ranges: [period] }], {
      form: 'media',
      joins: () => false,
    });
    expect(alone).toMatchObject({ kind: 'serve', missingMs: 50 * 60_000 });
  });

  it('is not judged by the last half minute, which nobody has yet', () => {
    const nowMs = testNow.wallMs;
    const recent = { startMs: nowMs - hourMs, endMs: nowMs };
    const own = [{ startMs: nowMs - hourMs, endMs: nowMs - 20_000 }];
    const placed = place(own, [{ ranges: [recent] }], { period: recent });
    expect(placed).toMatchObject({ kind: 'serve', missingMs: 0 });
  });

  it('has no pieces of others from the last half minute where it grows: they would have to make room', () => {
    const nowMs = testNow.wallMs;
    const growing = { startMs: nowMs - hourMs, endMs: nowMs };
    const own = [{ startMs: nowMs - hourMs, endMs: nowMs - 50 * 60_000 }];
    const last = (grows: boolean) => {
      const placed = place(own, [{ ranges: [growing] }], {
        period: { ...growing, grows },
        form: 'media',
      });
      return 'pieces' in placed
        ? placed.pieces.findLast(({ node }) => node !== undefined)
        : undefined;
    };
    expect(last(true)).toMatchObject({ node: 'node-b', endMs: nowMs - 30_000 });
    expect(last(false)).toMatchObject({ node: 'node-b', endMs: nowMs });
  });

  it('says of this node that another has more, where it sends on and nothing else is against it', () => {
    const own = (...parts: Parameters<typeof place>) => place(...parts).verdicts[0]?.reasons;
    const all = [{ ranges: [period] }];
    expect(own([part(0, 10)], all)).toEqual(['archive-elsewhere']);
    expect(own([], all)).toEqual(['archive-elsewhere']);
    const arrival = { kind: 'backup', home: 'node-x', hops: [], refusal: 'overloaded' } as const;
    expect(own([period], all, { arrival })).toEqual(['overloaded']);
    expect(own([period], all)).toEqual([]);
    expect(own([], [{ ranges: [] }])).toEqual([]);
  });

  it('says of every node why', () => {
    const placed = place(
      [period],
      [{ ranges: [] }, { ranges: [period], facts: { draining: true } }],
    );
    expect(placed.verdicts).toEqual([
      { node: 'node-a', stream: 'ch1', reasons: [] },
      { node: 'node-b', stream: 'ch1', reasons: ['nothing-recorded'] },
      { node: 'node-c', stream: 'ch1', reasons: ['draining'] },
    ]);
  });
});

/** Five nodes' recordings of a short time in ms: holes of 1 ms, touching, overlapping and without length. */
const recordings = fc.array(
  fc.array(fc.tuple(fc.integer({ min: -20, max: 120 }), fc.integer({ min: 0, max: 40 })), {
    maxLength: 8,
  }),
  { minLength: 5, maxLength: 5 },
);

describe('one archive out of many', () => {
  it('lacks exactly what nobody has, for 10 000 random recordings on five nodes', () => {
    fc.assert(
      fc.property(recordings, fc.integer({ min: 0, max: 100 }), (nodes, length) => {
        // Over midnight and the end of summer time in Europe: neither is anything to a period in Unix time.
        const startMs = Date.UTC(2026, 9, 25, 0, 59, 59, 950);
        const asked = { startMs, endMs: startMs + length };
        const ranges = nodes.map((one) =>
          mergeRanges(one.map(([at, ms]) => ({ startMs: startMs + at, endMs: startMs + at + ms }))),
        );
        const within = ranges.map((one, at) => ({
          id: `${at}`,
          ranges: length === 0 ? [] : intersectRanges(one, [asked]),
        }));
        const [own = { id: '0', ranges: [] }, ...others] = within;
        const pieces = length === 0 ? [] : planPieces(asked, own, others);
        const union = mergeRanges(ranges.flat());
        const lacking = length === 0 ? [] : subtractRanges([asked], union);
        expect(missingMs(pieces)).toBe(totalMs(lacking));
        let atMs = startMs;
        for (const piece of pieces) {
          expect(piece.startMs).toBe(atMs);
          expect(piece.endMs).toBeGreaterThan(piece.startMs);
          const holder = within.find(({ id }) => id === piece.node);
          if (holder !== undefined) expect(subtractRanges([piece], holder.ranges)).toEqual([]);
          atMs = piece.endMs;
        }
        expect(atMs).toBe(asked.endMs);
      }),
      { numRuns: 10_000 },
    );
  }, 60_000);

  it('takes from this node what it has', () => {
    const pieces = planPieces(
      { startMs: 0, endMs: 10 },
      { id: 'a', ranges: [{ startMs: 2, endMs: 4 }] },
      [{ id: 'b', ranges: [{ startMs: 0, endMs: 10 }] }],
    );
    expect(pieces).toEqual([
      { startMs: 0, endMs: 2, node: 'b' },
      { startMs: 2, endMs: 4, node: 'a' },
      { startMs: 4, endMs: 10, node: 'b' },
    ]);
  });
});
