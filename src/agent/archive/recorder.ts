import { archiveDepthMs } from '../../core/archive/archive-config.ts';
import { runLengthMax } from '../../core/archive/segment-index.ts';
import type { Ladder } from '../../core/playlist/ladder.ts';
import type { StreamConfig } from '../../core/stream/stream.ts';
import type { Now, UnixMs } from '../../core/time.ts';
import type { OpenDvr } from '../archive-ports.ts';
import type { LiveStreams } from '../live-streams.ts';
import type { Clock, Log, NewId, Timers } from '../ports.ts';
import type { Coverages } from './coverages.ts';
import { type Look, RecordedStream } from './recorded-stream.ts';
import { createSegmentJobs, type OpenFile, type SegmentJob } from './segment-jobs.ts';
import type { Troubles } from './troubles.ts';

/** What is trimmed to make room for more, share of the budget. */
const budgetShare = 0.98;
const containers = ['ts', 'fmp4'] as const;

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
  readonly opening: Promise<void>;
  stream?: RecordedStream | undefined;
  isTrimming: boolean;
  isClosed: boolean;
};

/**
 * Records the streams that ask for it (`archive.record`): what viewers get live, segment by segment. Nothing of it is
 * waited for by anything that serves: segments that cannot be read or written are missing, and said to be so.
 */
export class Recorder {
  readonly #deps: RecorderDeps;
  readonly #recordings = new Map<string, Recording>();
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
    for (const [name, { stream }] of this.#recordings) {
      this.#deps.live.watch(name, now);
      if (stream !== undefined) work.push(...this.#look(name, stream, now));
    }
    this.#deps.troubles.expire(now);
    await Promise.all(work);
  }

  /** Tells the coverage what has been recorded since the last call. @throws store_failed */
  note(): void {
    for (const [name, { stream }] of this.#recordings)
      for (const [container, ranges] of stream?.takeRecorded() ?? [])
        this.#deps.coverages.add(name, container, ranges);
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
    for (const [name, { stream, isClosed }] of this.#recordings) {
      if (stream === undefined || isClosed || !(await stream.dvr.verify(this.#verifyTurn)))
        continue;
      this.#deps.troubles.raise(name, { reason: 'recording-lost' }, now);
      await this.#survey(name, stream);
    }
  }

  async close(): Promise<void> {
    const recordings = [...this.#recordings];
    for (const [name, recording] of recordings) this.#close(name, recording);
    await Promise.all(recordings.map(([, { opening }]) => opening));
    await Promise.all(recordings.map(([, { stream }]) => stream?.dvr.close()));
  }

  #open(config: StreamConfig): void {
    const { name } = config;
    const open = async () => {
      const dvr = await this.#deps.openDvr(name, config.archive?.record?.path);
      const newRun = () => this.#deps.newId().slice(0, runLengthMax);
      const stream = new RecordedStream(dvr, newRun);
      await this.#survey(name, stream);
      recording.stream = stream;
    };
    const recording: Recording = {
      config,
      opening: open().catch((error) => {
        this.#deps.log.error('recordings not opened', { stream: name, cause: String(error) });
      }),
      isTrimming: false,
      isClosed: false,
    };
    this.#recordings.set(name, recording);
  }

  #close(name: string, recording: Recording): void {
    recording.isClosed = true;
    this.#recordings.delete(name);
    this.#deps.troubles.forget(name);
    void recording.opening.then(() => recording.stream?.dvr.close());
  }

  /** What the indexes on the disk say takes the place of what was believed. */
  async #survey(name: string, stream: RecordedStream): Promise<void> {
    const found = await stream.dvr.survey();
    for (const container of containers) {
      const ranges = found.filter((one) => one.container === container).map(({ range }) => range);
      this.#deps.coverages.replace(name, container, ranges);
    }
  }

  #look(name: string, stream: RecordedStream, now: Now): Promise<void>[] {
    const { live } = this.#deps;
    const entry = live.entry(name);
    if (entry === undefined) return [];
    const work: Promise<void>[] = [];
    if (stream.takesEntry(entry.bytes, now)) work.push(this.#keepEntry(name, stream, entry.bytes));
    const isCanonical = live.facts(name)?.hls?.timeline?.state === 'anew';
    for (const [path, uri] of rungsOf(entry.template.ladder)) {
      const snapshot = live.media(name, uri);
      if (snapshot === undefined) continue;
      const look = stream.look(path, snapshot.bytes, isCanonical, now);
      this.#judge(name, look, now);
      for (const job of look.jobs) work.push(this.#record(name, stream, job));
    }
    return work;
  }

  #judge(name: string, look: Look, now: Now): void {
    const { troubles } = this.#deps;
    if (look.dropped > 0) troubles.raise(name, { reason: 'recorder-behind' }, now);
    if (look.unfit > 0) troubles.raise(name, { reason: 'recorder-segment-unread' }, now);
    if (look.isEncrypted) troubles.raise(name, { reason: 'recorder-encrypted' }, now);
  }

  async #keepEntry(name: string, stream: RecordedStream, bytes: Uint8Array): Promise<void> {
    const fault = await stream.dvr.keepEntry(bytes);
    if (fault !== undefined) this.#deps.troubles.raise(name, fault, this.#deps.clock.now());
  }

  async #record(name: string, stream: RecordedStream, job: SegmentJob): Promise<void> {
    const { live, troubles, clock } = this.#deps;
    const open: OpenFile = ({ path, query, range }) => live.open(name, path, query, range);
    const outcome = await this.#runJob(stream.dvr, job, open);
    const range = { startMs: job.startMs, endMs: job.startMs + job.durationMs };
    stream.settle(job.rung, outcome.kind === 'kept' ? range : undefined);
    if (outcome.kind === 'kept') troubles.clear(name, 'recorder-disk-full', 'recorder-disk-failed');
    else if (outcome.kind === 'fault') troubles.raise(name, outcome, clock.now());
    else
      troubles.raise(
        name,
        { reason: 'recorder-segment-unread', cause: outcome.cause },
        clock.now(),
      );
    const recording = this.#recordings.get(name);
    const budget = budgetOf(recording?.config);
    if (recording !== undefined && stream.dvr.bytes() > budget)
      await this.#trimTo(name, recording, 0);
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
      for (const container of containers) this.#deps.coverages.trim(name, container, fromMs);
    } finally {
      recording.isTrimming = false;
    }
  }
}

function budgetOf(config: StreamConfig | undefined): number {
  const megabytes = config?.archive?.record?.budget_mb;
  return megabytes === undefined ? Number.POSITIVE_INFINITY : megabytes * 1_000_000;
}

/** URIs of the media playlists by their paths; where only queries differ there is one, as recordings are named by path. */
function rungsOf({ variants, renditions }: Ladder): ReadonlyMap<string, string> {
  const rungs = new Map<string, string>();
  for (const { uri } of [...variants, ...renditions]) {
    const path = uri?.split(/[?#]/, 1)[0]?.replace(/^\.\//, '');
    if (uri !== undefined && path !== undefined && !rungs.has(path))
      rungs.set(path, uri.replace(/^\.\//, ''));
  }
  return rungs;
}
