import { archiveDepthMs } from '../../core/archive/archive-config.ts';
import { rungsOf } from '../../core/archive/rung-path.ts';
import { runLengthMax } from '../../core/archive/segment-index.ts';
import { containers, type StreamConfig } from '../../core/stream/stream.ts';
import type { Now, UnixMs } from '../../core/time.ts';
import type { DvrStream, OpenDvr } from '../archive-ports.ts';
import type { LiveStreams } from '../live-streams.ts';
import type { Clock, Log, NewId, Timers } from '../ports.ts';
import type { Coverages } from './coverages.ts';
import { type Look, RecordedStream } from './recorded-stream.ts';
import { createSegmentJobs, type OpenFile, type SegmentJob } from './segment-jobs.ts';
import type { Troubles } from './troubles.ts';
import { readAt } from './watched-windows.ts';

/** What is trimmed to make room for more, share of the budget. */
const budgetShare = 0.98;

export type RecorderDeps = {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly newId: NewId;
  readonly live: Pick<LiveStreams, 'entry' | 'media' | 'open' | 'watch' | 'facts'>;
  readonly openDvr: OpenDvr;
  readonly coverages: Coverages;
  readonly troubles: Troubles;
};

type Recording = {
  config: StreamConfig;
  /** Settles when what is on the disk is known. */
  opening: Promise<void>;
  dvr?: DvrStream | undefined;
  /** Once what is on the disk is known. */
  stream?: RecordedStream | undefined;
  isTrimming: boolean;
  /** The indexes have to be read, to be believed instead of what was: nothing else is told until then. */
  isSurveyDue: boolean;
  /** Nothing of it is to be changed, noted or said any more. */
  isClosed: boolean;
};

type Recorded = { readonly recording: Recording; readonly stream: RecordedStream };

/**
 * Records the streams that ask for it (`archive.record`): what viewers get live, segment by segment. Nothing of it is
 * waited for by anything that serves: segments that cannot be read or written are missing, and said to be so.
 */
export class Recorder {
  readonly #deps: RecorderDeps;
  readonly #recordings = new Map<string, Recording>();
  /** By stream: recordings that end. Two writers of one index would destroy it. */
  readonly #closing = new Map<string, Promise<void>>();
  readonly #runJob;
  #verifyTurn = 0;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
    this.#runJob = createSegmentJobs(deps.timers);
  }

  /** Takes over the whole list; recordings of streams that are not recorded any more stay on the disk. */
  configure(streams: readonly StreamConfig[]): void {
    const wanted = new Map(
      streams.filter(({ archive }) => archive?.record).map((config) => [config.name, config]),
    );
    for (const [name, recording] of this.#recordings) {
      const config = wanted.get(name);
      const isSame = config?.archive?.record?.path === recording.config.archive?.record?.path;
      if (config !== undefined && isSame) recording.config = config;
      else this.#close(name, recording);
    }
    for (const config of wanted.values())
      if (!this.#recordings.has(config.name)) this.#open(config);
  }

  /** The recordings of a stream; undefined while they are being opened, or if it has none. */
  recorded(name: string): RecordedStream | undefined {
    return this.#recordings.get(name)?.stream;
  }

  records(name: string): boolean {
    return this.#recordings.has(name);
  }

  /** Looks for new segments; need not be waited for, but may. */
  async tick(now: Now): Promise<void> {
    const work: Promise<void>[] = [];
    for (const [name, recording] of this.#recordings) {
      this.#deps.live.watch(name, now);
      const { stream } = recording;
      if (stream !== undefined) work.push(...this.#look(name, { recording, stream }, now));
    }
    await Promise.all(work);
  }

  /** The streams of which the coverage may be told now what they recorded, by name. */
  known(): readonly (readonly [string, RecordedStream])[] {
    return [...this.#recordings].flatMap(([name, { stream, isSurveyDue }]) =>
      stream === undefined || isSurveyDue ? [] : [[name, stream] as const],
    );
  }

  /** Trims all recordings to their depth, if the clock is to be believed, and to their budget. @throws store_failed */
  async trim(now: Now, isSteady: boolean): Promise<void> {
    for (const [name, recording] of this.#recordings) {
      const depthMs = archiveDepthMs(recording.config.archive ?? {});
      await this.#trimTo(name, recording, isSteady ? now.wallMs - depthMs : 0);
    }
  }

  /** Looks whether a part of the recordings is still there; what is lost is not offered any more. @throws store_failed */
  async verify(now: Now): Promise<void> {
    this.#verifyTurn += 1;
    for (const [name, recording] of this.#recordings) {
      const { stream } = recording;
      if (stream === undefined) continue;
      const isLost = await stream.dvr.verify(this.#verifyTurn);
      if (recording.isClosed || !(isLost || recording.isSurveyDue)) continue;
      if (isLost) this.#deps.troubles.raise(name, { reason: 'recording-lost' }, now);
      // What waits to be told is in the indexes, or lost like the rest; what comes from now on is told after them.
      stream.told();
      await this.#survey(name, recording, stream.dvr);
    }
  }

  async close(): Promise<void> {
    for (const [name, recording] of this.#recordings) this.#close(name, recording);
    await Promise.all(this.#closing.values());
  }

  #open(config: StreamConfig): void {
    const { name } = config;
    const recording: Recording = {
      config,
      opening: Promise.resolve(),
      isTrimming: false,
      isSurveyDue: true,
      isClosed: false,
    };
    recording.opening = this.#openOne(name, recording).catch((error) => {
      this.#deps.log.error('recordings not opened', { stream: name, cause: String(error) });
    });
    this.#recordings.set(name, recording);
  }

  async #openOne(name: string, recording: Recording): Promise<void> {
    await this.#closing.get(name);
    if (recording.isClosed) return;
    const dvr = await this.#deps.openDvr(name, recording.config.archive?.record?.path);
    recording.dvr = dvr;
    const newRun = () => this.#deps.newId().slice(0, runLengthMax);
    const stream = new RecordedStream(dvr, newRun);
    await this.#survey(name, recording, dvr);
    if (!recording.isClosed) recording.stream = stream;
  }

  #close(name: string, recording: Recording): void {
    recording.isClosed = true;
    this.#recordings.delete(name);
    this.#deps.troubles.forget(name);
    const closing = recording.opening.then(() => recording.dvr?.close());
    this.#closing.set(name, closing);
    void closing.then(() => {
      if (this.#closing.get(name) === closing) this.#closing.delete(name);
    });
  }

  /** What the indexes on the disk say takes the place of what was believed. @throws store_failed */
  async #survey(name: string, recording: Recording, dvr: DvrStream): Promise<void> {
    recording.isSurveyDue = true;
    const found = await dvr.survey();
    if (recording.isClosed) return;
    for (const container of containers) {
      const ranges = found.filter((one) => one.container === container).map(({ range }) => range);
      this.#deps.coverages.replace(name, container, ranges);
    }
    recording.isSurveyDue = false;
  }

  #look(name: string, of: Recorded, now: Now): Promise<void>[] {
    const { live } = this.#deps;
    const { stream } = of;
    const entry = live.entry(name);
    if (entry === undefined) return [];
    const work: Promise<void>[] = [];
    if (stream.takesEntry(entry.bytes, now)) work.push(this.#keepEntry(name, of, entry.bytes));
    const isCanonical = live.facts(name)?.hls?.timeline?.state === 'anew';
    const rungs = rungsOf(entry.template.ladder);
    stream.keepRungs(rungs);
    for (const [path, uri] of rungs) {
      const snapshot = live.media(name, uri);
      if (snapshot === undefined) continue;
      const look = stream.look(path, snapshot.bytes, isCanonical, readAt(snapshot, now));
      this.#judge(name, look, now);
      for (const job of look.jobs) work.push(this.#record(name, of, job));
    }
    return work;
  }

  #judge(name: string, look: Look, now: Now): void {
    const { troubles } = this.#deps;
    if (look.dropped > 0) troubles.raise(name, { reason: 'recorder-behind' }, now);
    if (look.unfit > 0) troubles.raise(name, { reason: 'recorder-segment-unread' }, now);
    if (look.isEncrypted) troubles.raise(name, { reason: 'recorder-encrypted' }, now);
  }

  async #keepEntry(name: string, of: Recorded, bytes: Uint8Array): Promise<void> {
    const fault = await of.stream.dvr.keepEntry(bytes);
    if (fault !== undefined && !of.recording.isClosed)
      this.#deps.troubles.raise(name, fault, this.#deps.clock.now());
  }

  async #record(name: string, { recording, stream }: Recorded, job: SegmentJob): Promise<void> {
    const { live, troubles, clock } = this.#deps;
    const open: OpenFile = ({ path, query, range }) => live.open(name, path, query, range);
    const outcome = await this.#runJob(stream.dvr, job, open);
    if (recording.isClosed) return;
    const range = { startMs: job.startMs, endMs: job.startMs + job.durationMs };
    stream.settle(job.rung, outcome.kind === 'kept' ? range : undefined);
    if (outcome.kind === 'kept') troubles.clear(name, 'recorder-disk-full', 'recorder-disk-failed');
    else if (outcome.kind === 'fault') troubles.raise(name, outcome, clock.now());
    else {
      const { cause } = outcome;
      troubles.raise(name, { reason: 'recorder-segment-unread', cause }, clock.now());
    }
    if (stream.dvr.bytes() > budgetOf(recording.config)) await this.#trimTo(name, recording, 0);
  }

  async #trimTo(name: string, recording: Recording, beforeMs: UnixMs): Promise<void> {
    const { stream, config } = recording;
    if (stream === undefined || recording.isTrimming) return;
    recording.isTrimming = true;
    try {
      const budget = budgetOf(config);
      const isOver = stream.dvr.bytes() > budget;
      const bytesMax = isOver ? budget * budgetShare : budget;
      const fromMs = await stream.dvr.trim(beforeMs, bytesMax);
      if (recording.isClosed) return;
      for (const container of containers) this.#deps.coverages.trim(name, container, fromMs);
    } finally {
      recording.isTrimming = false;
    }
  }
}

function budgetOf(config: StreamConfig): number {
  const megabytes = config.archive?.record?.budget_mb;
  return megabytes === undefined ? Number.POSITIVE_INFINITY : megabytes * 1_000_000;
}
