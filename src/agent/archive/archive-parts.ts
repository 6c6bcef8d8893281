import type { Now } from '../../core/time.ts';
import type {
  ArchiveReader,
  AskRecordings,
  CoverageStore,
  OpenDvr,
  OpenScannedFolder,
} from '../archive-ports.ts';
import type { Cycle } from '../cycles.ts';
import type { ReadMeaning } from '../live-snapshots.ts';
import type { LiveStreams } from '../live-streams.ts';
import type { Clock, Log, NewId, OpenOrigin, Timers } from '../ports.ts';
import { AskedSources } from './asked-sources.ts';
import { CoverageCycle } from './coverage-cycle.ts';
import { Coverages } from './coverages.ts';
import { createFolderReader } from './folder-reader.ts';
import { OriginArchives } from './origin-archives.ts';
import { createOriginReader } from './origin-reader.ts';
import { OwnArchives } from './own-archives.ts';
import { PeerSegments } from './peer-segments.ts';
import { PeriodTexts } from './period-texts.ts';
import { Recorder } from './recorder.ts';
import { Refill, type RefillDeps } from './refill.ts';
import { SampledCheck } from './sampled-check.ts';
import { Troubles } from './troubles.ts';

/** Live windows are looked at for segments to be recorded this often, ms. */
const recordEveryMs = 500;
const coverageEveryMs = 1_000;
/** A part of the recordings is looked for on the disk, or at the media server, this often, ms. */
const verifyEveryMs = 60_000;
/** Whether media servers' lists can be taken is looked at this often, ms: of each stream once a minute. */
const tryOutEveryMs = 5_000;
/** Holes are filled so often, a minute each time. */
const refillEveryMs = 20_000;

type ArchivePorts = {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly newId: NewId;
  readonly openOrigin: OpenOrigin;
  readonly readMeaning: ReadMeaning;
  readonly coverageStore: CoverageStore;
  /** Absent: nothing is recorded here. */
  readonly openDvr?: OpenDvr | undefined;
  readonly openScannedFolder?: OpenScannedFolder | undefined;
  readonly askRecordings?: AskRecordings | undefined;
};

/** Who the members are, and how they are asked. */
type MembersKnown = Omit<RefillDeps['viewing'], 'live' | 'newId'>;

/** What is recorded on this node, by itself or by others, and what other nodes are told of it. */
export function createArchiveParts(ports: ArchivePorts, live: LiveStreams) {
  const { openDvr, clock, timers, log, newId, openOrigin } = ports;
  const coverages = new Coverages(ports.coverageStore);
  const troubles = new Troubles(log);
  const recorder =
    openDvr && new Recorder({ clock, timers, log, newId, live, openDvr, coverages, troubles });
  const { openScannedFolder, askRecordings } = ports;
  const asked = new AskedSources({ live, coverages, troubles, openScannedFolder, askRecordings });
  const folders = createFolderReader({
    reads: (stream) => recorder?.records(stream) === true || asked.reads(stream),
    folder: (stream) => recorder?.recorded(stream)?.dvr ?? asked.folder(stream),
    openOrigin,
  });
  const origins = new OriginArchives(ports);
  const servers = createOriginReader({ clock, newId, origins, coverages, live });
  const from = (stream: string) => (folders.reads(stream) ? folders : servers);
  const reader: ArchiveReader = {
    ...folders,
    lists: (stream) => folders.reads(stream) || servers.lists(stream),
    rungs: (stream) => from(stream).rungs(stream),
    list: (rung, period) => from(rung.stream).list(rung, period),
  };
  const archives = new OwnArchives({
    ...{ coverages, reader },
    config: (name) => live.config(name),
    live: { version: () => live.factsVersion, facts: () => live.allFacts() },
  });
  const coverage = new CoverageCycle({ live, coverages, recorder, troubles, asked, origins });
  const samples = new SampledCheck({ origins, coverages, troubles });
  const peerSegments = new PeerSegments(openOrigin);
  const cycles: readonly Cycle[] = [
    {
      name: 'coverage',
      everyMs: coverageEveryMs,
      overlaps: true,
      run: (now) => coverage.tick(now),
    },
    {
      name: 'archive samples',
      everyMs: verifyEveryMs,
      run: (now) => samples.check(coverage.streams, now),
    },
    {
      name: 'archive listing',
      everyMs: tryOutEveryMs,
      run: (now) => servers.tryOut(coverage.streams, now),
    },
    ...(recorder === undefined ? [] : cyclesOf(recorder)),
  ];
  /** Trims everything to its depth and budget. Never rejects. */
  const trim = async (now: Now) => {
    try {
      await coverage.trim(now);
    } catch (error) {
      log.error('archive not trimmed', { cause: String(error) });
    }
  };
  /** Ends recording; what was recorded since the coverage was told is found on the disk at the next start. */
  const close = async () => {
    origins.close();
    peerSegments.close();
    await recorder?.close();
  };
  /** Made once it is known who the members are. */
  const refillFrom = (members: MembersKnown): Cycle => {
    const refill = new Refill({
      streams: () =>
        coverage.streams.flatMap(({ name, archive }) => (archive?.refill === true ? [name] : [])),
      recordings: (name) => recorder?.recorded(name)?.dvr,
      archive: { coverages, reader, peerSegments },
      viewing: { ...members, live, newId },
      log,
    });
    return { name: 'refill', everyMs: refillEveryMs, run: (now) => refill.tick(now) };
  };
  return {
    ...{ coverages, reader, archives, origins, peerSegments, troubles },
    periodTexts: new PeriodTexts(),
    ...{ cycles, refillFrom, trim, close },
  };
}

function cyclesOf(recorder: Recorder): readonly Cycle[] {
  return [
    // A segment that comes slowly must not hold up those of other streams.
    { name: 'recorder', everyMs: recordEveryMs, overlaps: true, run: (now) => recorder.tick(now) },
    { name: 'recordings', everyMs: verifyEveryMs, run: (now) => recorder.verify(now) },
  ];
}
