import { onTestFinished } from 'vitest';
import { createOpenDvr } from '../../src/adapters/dvr/open-dvr.ts';
import type { DvrStream, RungName, SegmentToKeep } from '../../src/agent/archive-ports.ts';
import type { ArchivedSegment } from '../../src/core/archive/segment-list.ts';

/** Ten past an hour, UTC. */
export const recordedFromMs = Date.UTC(2026, 10, 30, 12, 10);
export const hourMs = 3_600_000;
export const someRung: RungName = { container: 'ts', rung: '~live.m3u8' };

/** Segment number `number` of 4 s each, the first one at {@link recordedFromMs}; 1000 bytes unless told otherwise. */
export function aSegmentToKeep(
  number: number,
  changes: Partial<SegmentToKeep> = {},
): SegmentToKeep {
  return {
    ending: 'ts',
    number,
    startMs: recordedFromMs + number * 4_000,
    durationMs: 4_000,
    run: 'a',
    content: new Uint8Array(1_000).fill(number % 251),
    ...changes,
  };
}

/** Recordings of stream `ch1` in a folder, closed when the test ends; they fill the disk to its last byte unless told. */
export async function openDvr(
  folder: string,
  reserveBytes = Number.NEGATIVE_INFINITY,
): Promise<DvrStream> {
  const dvr = await createOpenDvr({ defaultFolder: folder, reserveBytes })('ch1', undefined);
  onTestFinished(() => dvr.close());
  return dvr;
}

/** Everything of a rung, in the order of time. */
export async function allOf(
  dvr: DvrStream,
  rung: RungName = someRung,
): Promise<readonly ArchivedSegment[]> {
  const blocks = await dvr.list(rung, { startMs: 0, endMs: Number.MAX_SAFE_INTEGER });
  return blocks.flat();
}
