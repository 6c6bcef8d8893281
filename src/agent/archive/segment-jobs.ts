import type { SegmentFiles, ViewerFile } from '../../core/archive/window-segments.ts';
import type { TimedSegment } from '../../core/archive/window-times.ts';
import type { DvrFault, DvrStream, RungName } from '../archive-ports.ts';
import type { OriginFault, OriginStream, Timers } from '../ports.ts';
import type { StoredSegment } from '../segments.ts';
import { createSlots } from './slots.ts';

/** A segment that has to be recorded, and what has to be read for it. */
export type SegmentJob = Pick<TimedSegment, 'number' | 'startMs' | 'durationMs'> &
  SegmentFiles & { readonly rung: RungName; readonly run: string };

/** Opens a file of a stream, as for a viewer. */
export type OpenFile = (file: ViewerFile) => Promise<StoredSegment | OriginStream | OriginFault>;

export type JobOutcome =
  | { readonly kind: 'kept' }
  | { readonly kind: 'unread'; readonly cause: string }
  | DvrFault;

/** Segments read, or written, at once: each is whole in memory until it is on the disk. Who waits to try again holds none. */
const readsMax = 8;
/** Writes at once: the system's threads that wait for the disk are also those that read files for viewers. */
const writesMax = 2;
/** Largest segment that is recorded, bytes. */
const segmentBytesMax = 64 * 1024 * 1024;
/** A segment that cannot be read is tried so often, with a pause, ms. */
const triesMax = 3;
const pauseMs = 700;
/** Initialisation segments of a stream that are remembered. */
const mapsMax = 16;

/** Reads segments and puts them on the disk, those of one rung one after another. */
export function createSegmentJobs(timers: Timers) {
  const reading = createSlots(readsMax);
  const writing = createSlots(writesMax);
  const lasts = new WeakMap<DvrStream, Map<string, Promise<unknown>>>();

  const inOrder = <T>(dvr: DvrStream, rung: string, work: () => Promise<T>): Promise<T> => {
    const ofStream = lasts.get(dvr) ?? new Map<string, Promise<unknown>>();
    lasts.set(dvr, ofStream);
    const done = (ofStream.get(rung) ?? Promise.resolve()).then(work);
    const settled = done
      .catch(() => undefined)
      .then(() => {
        if (ofStream.get(rung) === settled) ofStream.delete(rung);
      });
    ofStream.set(rung, settled);
    return done;
  };

  const runPatiently = async (dvr: DvrStream, job: SegmentJob, open: OpenFile) => {
    for (let tries = 1; ; tries += 1) {
      const outcome = await reading(() => run(dvr, job, open));
      if (outcome.kind !== 'unread' || tries === triesMax) return outcome;
      await new Promise<void>((resolve) => void timers.after(pauseMs, resolve));
    }
  };

  const run = async (dvr: DvrStream, job: SegmentJob, open: OpenFile): Promise<JobOutcome> => {
    const content = await readFile(open, job.segment);
    if (typeof content === 'string') return { kind: 'unread', cause: content };
    const init = job.map === undefined ? undefined : await readMap(dvr, open, job.map, job.run);
    if (typeof init === 'string') return { kind: 'unread', cause: init };
    const { ending, number, startMs, durationMs, run } = job;
    const segment = { ending, number, startMs, durationMs, run, content, init };
    return (await writing(() => dvr.keep(job.rung, segment))) ?? { kind: 'kept' };
  };

  const known = new WeakMap<DvrStream, Map<string, Uint8Array>>();
  /** A packager that begins anew may use an old name for a new one: it counts for one run only. */
  const readMap = async (dvr: DvrStream, open: OpenFile, file: ViewerFile, run: string) => {
    const ofStream = known.get(dvr) ?? new Map<string, Uint8Array>();
    known.set(dvr, ofStream);
    const key = `${run} ${file.path}?${file.query}`;
    const found = ofStream.get(key) ?? (await readFile(open, file));
    if (typeof found === 'string') return found;
    ofStream.delete(key);
    ofStream.set(key, found);
    for (const oldest of [...ofStream.keys()].slice(0, -mapsMax)) ofStream.delete(oldest);
    return found;
  };

  /** Never rejects for what the origin or the disk do. */
  return (dvr: DvrStream, job: SegmentJob, open: OpenFile): Promise<JobOutcome> =>
    inOrder(dvr, `${job.rung.container}.${job.rung.rung}`, () => runPatiently(dvr, job, open));
}

/** The whole file, or why there is none. */
async function readFile(open: OpenFile, file: ViewerFile): Promise<Uint8Array | string> {
  const found = await open(file);
  if (found.kind === 'fault') return found.reason;
  const wanted = file.range === undefined ? 200 : 206;
  if (found.kind === 'stored') return found.status === wanted ? found.bytes : 'wrong range';
  try {
    if (found.status !== wanted) return 'wrong range';
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of found.body) {
      size += part.length;
      if (size > segmentBytesMax) return 'segment too large';
      parts.push(part);
    }
    return joined(parts, size);
  } catch {
    return 'origin broke off';
  } finally {
    found.close();
  }
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
