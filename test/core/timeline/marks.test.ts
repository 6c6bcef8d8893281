import { describe, expect, it, vi } from 'vitest';
import type { Reading } from '../../../src/core/media/units.ts';
import { hashOf } from '../../../src/core/timeline/hash.ts';
import { keepMarks, marksOf } from '../../../src/core/timeline/marks.ts';
import { proveSameSource } from '../../../src/core/timeline/proof.ts';
import { cutAll, foundBy, joinBy, marksOfAll } from '../../support/canonical.ts';
import { hasFfmpeg } from '../../support/ffmpeg-clips.ts';
import { makeSource, packageSource, readFolder, x264 } from '../../support/recordings.ts';
import { syntheticUnits } from '../../support/synthetic-source.ts';

vi.setConfig({ testTimeout: 120_000 });

describe('the hash of pictures', () => {
  const bytes = (...values: number[]) => Uint8Array.from(values);

  it('changes with every byte, every length and the border between parts', () => {
    const long = new Uint8Array(1_000).map((_, i) => i);
    const seen = new Set([hashOf([long])]);
    for (let at = 0; at < long.length; at += 1) {
      const changed = long.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      seen.add(hashOf([changed]));
      seen.add(hashOf([long.subarray(0, at)]));
      seen.add(hashOf([long.subarray(0, at), long.subarray(at)]));
    }
    expect(seen.size).toBe(3_001);
    expect(hashOf([bytes(1, 2), bytes(3)])).not.toBe(hashOf([bytes(1), bytes(2, 3)]));
  });

  it('does not depend on where the bytes lie in memory', () => {
    const whole = bytes(9, 1, 2, 3, 4, 5, 6, 7, 9);
    expect(hashOf([whole.subarray(1, 8)])).toBe(hashOf([bytes(1, 2, 3, 4, 5, 6, 7)]));
    expect(hashOf([bytes(1, 2, 3)])).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('marks', () => {
  const units = syntheticUnits({ to: 60 });

  it('are made of keyframes that arrived whole, each when it is thought to have come', () => {
    const marks = marksOf('h264', units, 10_000);
    expect(marks.map((mark) => [mark.pts, mark.arrivedAt])).toEqual([
      [0, 10_000 - 59 * 40],
      [90_000, 10_000 - 34 * 40],
      [180_000, 10_000 - 9 * 40],
    ]);
    const damaged = syntheticUnits({ to: 60, isDamaged: (picture) => picture === 25 });
    expect(marksOf('h264', damaged, 0).length).toBe(2);
    expect(marksOf('h264', [], 0)).toEqual([]);
  });

  it('are of the slices only', () => {
    const changed = units.map((unit) =>
      unit.kind === 'video'
        ? {
            ...unit,
            parts: [Uint8Array.of(9, 0xf0), Uint8Array.of(6, 5, 1, 1), ...unit.parts.slice(-1)],
          }
        : unit,
    );
    expect(marksOf('h264', changed, 0)).toEqual(marksOf('h264', units, 0));
  });

  it('are kept by forty, the newest', () => {
    const many = marksOf('h264', syntheticUnits({ to: 25 * 30 }), 0);
    expect(keepMarks(many, many.slice(0, 11))).toEqual([...many.slice(1), ...many.slice(0, 11)]);
    expect(keepMarks(many, many.slice(0, 10)).length).toBe(40);
  });
});

describe.skipIf(!hasFfmpeg)('recordings of real encoders', () => {
  const video = [...x264, '-bf', '2', '-g', '25', '-keyint_min', '25'];
  const packaged = async (name: string, source: string, losesEvery?: number) => {
    const joins = { keepsTimes: losesEvery === undefined, segmentS: 2 };
    const options = losesEvery === undefined ? joins : { ...joins, losesEvery };
    return readFolder(await packageSource(source, name, options));
  };
  const compare = (ours: readonly Reading[], theirs: readonly Reading[]) =>
    proveSameSource(marksOfAll(ours), marksOfAll(theirs), { clockOffsetMs: 0, declared: false });

  it('of the same film by two encoders are different', async () => {
    const one = await packaged('twin-a', await makeSource('twin-a-source', { video }));
    const again = [...video, '-b:v', '500k'];
    const two = await packaged('twin-b', await makeSource('twin-b-source', { video: again }));
    expect(compare(one, two)).toEqual({ kind: 'different' });
  });

  it('of black with silence are not taken for another moment', async () => {
    const black = { video, picture: 'color=black:s=320x180:r=25', sound: 'anullsrc=r=48000' };
    const source = await makeSource('black', black);
    const proof = compare(await packaged('black-a', source), await packaged('black-b', source));
    if (proof.kind === 'proved') expect(proof.difference).toBe(0);
    else expect(proof).toEqual({ kind: 'unknown', why: 'ambiguous' });
  });

  it('are proved where every 97th datagram is lost, and what was lost shows in the bytes', async () => {
    const source = await makeSource('lossy', { video: [...video, '-b:v', '900k'] });
    const whole = await packaged('lossy-a', source);
    const lossy = await packaged('lossy-b', source, 97);
    const first = foundBy(whole);
    const expected = cutAll(whole, first);
    const found = cutAll(lossy, joinBy(lossy, first, whole));
    const common = [...found.values()].filter(({ number }) => expected.has(number));
    const isEqual = common.map(({ number, bytes }) =>
      Buffer.from(bytes).equals(expected.get(number)?.bytes ?? new Uint8Array(0)),
    );
    expect(common.length).toBeGreaterThan(5);
    expect(isEqual.filter((equal) => !equal).length).toBeGreaterThan(2);
  });
});
