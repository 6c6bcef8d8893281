import type { Reading, Unit } from '../../src/core/media/units.ts';
import { ticksPerSecond } from '../../src/core/media/units.ts';
import type { CanonicalSegment } from '../../src/core/timeline/cutter.ts';
import { createCanonicalCutter } from '../../src/core/timeline/cutter.ts';
import { foundRun } from '../../src/core/timeline/found-run.ts';
import { keepMarks, type Mark, marksOf } from '../../src/core/timeline/marks.ts';
import { proveSameSource } from '../../src/core/timeline/proof.ts';
import type { TimelineRun } from '../../src/core/timeline/run.ts';

const foundedAt = 1_790_000_000_000;

export type Member = { readonly run: TimelineRun; readonly offset: number };

/** The first member of a group, that nobody was before. */
export function foundBy(readings: readonly Reading[], segmentMs = 2_000): Member {
  const units: Unit[] = [];
  for (const { tracks, units: fresh } of readings) {
    units.push(...fresh);
    const facts = { nodeId: 'node-a', tracks, units, arrivedAt: foundedAt, segmentMs };
    const founding = foundRun(facts);
    if (founding.kind === 'founded') return { run: founding.run, offset: founding.offset };
  }
  throw new Error('too little to found a run');
}

/** Marks of a whole recording whose first picture arrived at `firstAt`. */
export function marksOfAll(readings: readonly Reading[], firstAt = foundedAt): readonly Mark[] {
  let marks: readonly Mark[] = [];
  let first: number | undefined;
  for (const { tracks, units } of readings) {
    const video = tracks.find((track) => track.kind === 'video');
    const times = units.flatMap((unit) => (unit.kind === 'video' ? unit.pts : []));
    if (video === undefined || times.length === 0) continue;
    first ??= Math.min(...times);
    const span = (Math.max(...times) - first + 2 ** 33) % 2 ** 33;
    const fresh = marksOf(video.format, units, firstAt + (span * 1_000) / ticksPerSecond);
    marks = keepMarks(marks, fresh);
  }
  return marks;
}

/** A member that joins a run by proof; both recordings end at the same moment. */
export function joinBy(
  readings: readonly Reading[],
  first: Member,
  of: readonly Reading[],
): Member {
  const ours = endingTogether(marksOfAll(readings));
  const theirs = endingTogether(marksOfAll(of));
  const proof = proveSameSource(ours, theirs, { clockOffsetMs: 0, declared: false });
  if (proof.kind !== 'proved') throw new Error(`not proved: ${JSON.stringify(proof)}`);
  return { run: first.run, offset: first.offset + proof.difference };
}

export function cutAll(
  readings: readonly Reading[],
  { run, offset }: Member,
): Map<number, CanonicalSegment> {
  const cutter = createCanonicalCutter(run, { offset, nearTicks: run.originTicks });
  const segments = new Map<number, CanonicalSegment>();
  for (const reading of readings) {
    for (const segment of cutter.push(reading)) segments.set(segment.number, segment);
  }
  if (cutter.state() !== 'cutting') throw new Error(`cutter is ${cutter.state()}`);
  return segments;
}

function endingTogether(marks: readonly Mark[]): readonly Mark[] {
  const last = marks.at(-1)?.arrivedAt ?? 0;
  return marks.map((mark) => ({ ...mark, arrivedAt: foundedAt + mark.arrivedAt - last }));
}
