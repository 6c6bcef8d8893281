import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../../src/core/media/bytes.ts';
import { createTsReader } from '../../../src/core/media/ts-reader.ts';
import type { Unit } from '../../../src/core/media/units.ts';
import { createCanonicalCutter } from '../../../src/core/timeline/cutter.ts';
import { foundRun } from '../../../src/core/timeline/found-run.ts';
import { marksOf } from '../../../src/core/timeline/marks.ts';
import { syntheticReading } from '../../support/synthetic-source.ts';
import { pes, pesPackets, picture, tables } from '../../support/ts-builder.ts';

const facts = { nodeId: 'node-a', arrivedAt: 1_790_000_000_000, segmentMs: 2_000 };

function foundedFor(to: number) {
  const { tracks, units } = syntheticReading({ to });
  const founding = foundRun({ ...facts, tracks, units });
  if (founding.kind !== 'founded') throw new Error(founding.why);
  return founding;
}

/** Twelve seconds of MPEG-TS. */
function recording(): Uint8Array {
  const { run, offset } = foundedFor(100);
  const cutter = createCanonicalCutter(run, { offset, nearTicks: run.originTicks });
  const segments = cutter.push(syntheticReading({ to: 500 }));
  return concatBytes(segments.map((segment) => segment.bytes));
}

describe('bytes changed on the way', () => {
  const original = recording();
  const change = fc.record({ at: fc.nat(), value: fc.nat(255) });

  const changed = (changes: readonly { at: number; value: number }[]) => {
    const bytes = original.slice();
    for (const { at, value } of changes) {
      // Most of what matters is in the first bytes of a packet.
      const place = at % 3 === 0 ? at : at - (at % 188) + (at % 24);
      bytes[place % bytes.length] = value;
    }
    return bytes;
  };

  it('never break a reader, a proof, a founding or a cutter', () => {
    expect(original.length).toBeGreaterThan(150_000);
    const property = fc.property(
      fc.array(change, { minLength: 1, maxLength: 300 }),
      fc.integer({ min: 500, max: 90_000 }),
      (changes, piece) => {
        const bytes = changed(changes);
        const reader = createTsReader();
        const units: Unit[] = [];
        let founding: ReturnType<typeof foundRun> | undefined;
        for (let at = 0; at < bytes.length; at += piece) {
          const reading = reader.read(bytes.subarray(at, at + piece), at % 2 ? 'open' : 'segment');
          units.push(...reading.units);
          marksOf('h264', reading.units, 0);
          founding = foundRun({ ...facts, tracks: reading.tracks, units });
        }
        if (founding?.kind !== 'founded') return;
        const { run, offset } = founding;
        const cutter = createCanonicalCutter(run, { offset, nearTicks: run.originTicks });
        const tracks = syntheticReading({ to: 1 }).tracks;
        for (const segment of cutter.push({ tracks, units, faults: 0 })) {
          expect(segment.durationTicks).toBeGreaterThan(0);
          expect(segment.bytes.length % 188).toBe(0);
        }
      },
    );
    fc.assert(property, { numRuns: 150 });
  }, 60_000);
});

describe('a feed that never ends a picture', () => {
  it('does not hold sound back for ever', () => {
    const reader = createTsReader();
    const programme = tables([
      { type: 0x1b, pid: 0x100 },
      { type: 0x15, pid: 0x101 },
    ]);
    const start = pesPackets(0x100, pes(0xe0, picture(true, 100), { pts: 90, bounded: false }));
    reader.read(concatBytes([...programme, ...start]), 'open');
    const metadata = pes(0xbd, Uint8Array.of(1, 2, 3), { pts: 90 });
    let given = 0;
    for (let i = 0; i < 6_000; i += 1) {
      const packets = concatBytes(pesPackets(0x101, metadata, { counter: i }));
      given += reader.read(packets, 'open').units.length;
    }
    expect(given).toBeGreaterThan(5_000);
  });

  it('is given up beyond the limit of a picture', () => {
    const reader = createTsReader();
    reader.read(concatBytes(tables([{ type: 0x1b, pid: 0x100 }])), 'open');
    const [start = new Uint8Array(0)] = pesPackets(
      0x100,
      pes(0xe0, picture(true, 100), { pts: 90, bounded: false }),
    );
    reader.read(start, 'open');
    const chunk = new Uint8Array(188 * 1_000);
    let counter = 1;
    for (let megabyte = 0; megabyte < 100; megabyte += 1) {
      for (let at = 0; at < chunk.length; at += 188) {
        chunk.set([0x47, 0x01, 0x00, 0x10 | (counter & 15)], at);
        counter += 1;
      }
      reader.read(chunk, 'open');
    }
    expect(reader.read(new Uint8Array(0), 'segment').units).toEqual([]);
  });
});
