/** The outside world of the archive's own recorder and of what says which periods are recorded; see `ports.ts`. */
import type { ArchiveConfig, archiveApiKinds } from '../core/archive/archive-config.ts';
import type { Coverage } from '../core/archive/coverage.ts';
import type { TimeRange } from '../core/archive/ranges.ts';
import type { IndexedSegment } from '../core/archive/segment-index.ts';
import type { ArchivedSegment } from '../core/archive/segment-list.ts';
import type { ReasonCode } from '../core/reasons.ts';
import type { Container } from '../core/stream/stream.ts';
import type { UnixMs } from '../core/time.ts';
import type { OriginFault, OriginStream } from './ports.ts';

/**
 * What is recorded, as merged ranges. Only `agent/archive/coverages.ts` uses it: it holds the same in memory and is the
 * one that merges. Synchronous; each call is one transaction. @throws store_failed
 */
export type CoverageStore = {
  /** Everything, by stream and container. */
  list(): readonly Coverage[];
  /** Puts `ranges` (sorted, disjoint) in place of all that overlaps or touches `within`. */
  rewrite(
    stream: string,
    container: Container,
    within: TimeRange,
    ranges: readonly TimeRange[],
  ): void;
  /** Forgets a stream. */
  remove(stream: string): void;
  /** All that `work` does is one transaction: it is kept whole, or, where it throws, not at all. */
  atOnce(work: () => void): void;
};

/** Neighbouring recorded segments in the order of time: the same array as long as nothing in it changed. */
export type ArchiveBlock = readonly ArchivedSegment[];

/** A playlist of a stream as it is recorded; `rung` is the viewer path of the live media playlist, percent-encoded. */
export type ArchivedRung = {
  readonly stream: string;
  readonly container: Container;
  readonly rung: string;
};

/** Reads what the agent's own recorder wrote, or a folder of segments; lists what the media server has, too. */
export type ArchiveReader = {
  /** Whether this node itself has the segments of the stream (recorder or folder); else the media server has. */
  reads(stream: string): boolean;
  /** Whether the segments of the stream can be told, whoever has them. */
  lists(stream: string): boolean;
  /** Rungs that are recorded of a stream, `ts` and `fmp4`; empty when there are none. */
  rungs(stream: string): readonly ArchivedRung[];
  /** The multivariant playlist as it was when recorded last (`Entry.bytes`); undefined when it is not known. */
  entry(stream: string): Uint8Array | undefined;
  /**
   * Blocks that hold all segments which overlap `period`, in the order of time; the first and the last may hold more.
   * Rejects never: what cannot be read is missing.
   */
  list(rung: ArchivedRung, period: TimeRange): Promise<readonly ArchiveBlock[]>;
  /** Opens a segment or initialisation segment by name; `range` is a Range header value. */
  open(
    rung: ArchivedRung,
    name: string,
    range: string | undefined,
  ): Promise<OriginStream | OriginFault>;
};

/** A segment to be recorded, with its bytes and those of its initialisation segment. */
export type SegmentToKeep = Omit<IndexedSegment, 'bytes' | 'map'> & {
  readonly content: Uint8Array;
  readonly init?: Uint8Array | undefined;
};

/** Why the disk did not take a segment. `cause` is for the log. */
export type DvrFault = {
  readonly kind: 'fault';
  readonly reason: ReasonCode;
  readonly cause: string;
};

/** Segments of one stream in a folder, whoever wrote them. Nothing of it rejects. */
export type SegmentFolder = {
  /** Absolute. */
  readonly folder: string;
  /** Rungs of which something is there. */
  rungs(): readonly ArchivedRung[];
  /** The multivariant playlist that was kept last. */
  entry(): Uint8Array | undefined;
  /** See `ArchiveReader`. */
  list(rung: RungName, period: TimeRange): Promise<readonly ArchiveBlock[]>;
  /** `file:` URL of a segment or initialisation segment; undefined for what cannot be a name of one. */
  urlOf(rung: RungName, name: string): string | undefined;
};

/** The recordings of one stream on disk. Nothing of it rejects. */
export type DvrStream = SegmentFolder & {
  /** What is recorded takes so many bytes; complete once {@link survey} has settled. */
  bytes(): number;
  /** Keeps the multivariant playlist, as {@link keep} does a segment. */
  keepEntry(bytes: Uint8Array): Promise<DvrFault | undefined>;
  /** Records a segment; with an answer of undefined it stays through any crash. One that is there already stays as it is. */
  keep(rung: RungName, segment: SegmentToKeep): Promise<DvrFault | undefined>;
  /** The newest segment of a rung, in the order of time. */
  newest(rung: RungName): Promise<ArchivedSegment | undefined>;
  /** Reads every index once: what is recorded, in no order. */
  survey(): Promise<readonly { readonly container: Container; readonly range: TimeRange }[]>;
  /**
   * Removes, oldest first, what ends at or before `beforeMs`, and what is needed for the rest to fit `bytesMax`.
   * @returns the instant before which nothing is left now
   */
  trim(beforeMs: UnixMs, bytesMax: number): Promise<UnixMs>;
  /** Looks whether what the indexes say is there: all hours, and the files of hour number `turn`. True: something is lost. */
  verify(turn: number): Promise<boolean>;
  /** Waits for the change that is under way and frees files; whatever is to be changed after that is a fault. */
  close(): Promise<void>;
};

export type RungName = Pick<ArchivedRung, 'container' | 'rung'>;

/** Opens, or makes, the recordings of a stream: in `folder`, else where the node keeps them. Never rejects. */
export type OpenDvr = (stream: string, folder: string | undefined) => Promise<DvrStream>;

/** What a media server says it has recorded: in any order, overlapping as it likes. */
export type RecordingsAnswer =
  | {
      readonly kind: 'recorded';
      readonly containers: readonly Container[];
      readonly ranges: readonly TimeRange[];
    }
  | { readonly kind: 'fault'; readonly cause: string };

/** Asks the media server of `archive.api` what it has of `period`; answers may tell of more. Never rejects; 10 s a page, 50 pages at most. */
export type AskRecordings = (
  api: { readonly kind: (typeof archiveApiKinds)[number]; readonly url: string },
  period: TimeRange,
) => Promise<RecordingsAnswer>;

/** A folder that somebody else records into. */
export type ScannedFolder = SegmentFolder & {
  /** Looks which segments from `fromMs` on are there now. What is listed and opened is what the last scan found. */
  scan(
    nowMs: UnixMs,
    fromMs: UnixMs,
  ): Promise<
    | {
        readonly kind: 'recorded';
        readonly ranges: readonly { readonly container: Container; readonly range: TimeRange }[];
      }
    | { readonly kind: 'fault'; readonly cause: string }
  >;
};

/** The folder of `archive.directory`. Nothing is read before the first scan. */
export type OpenScannedFolder = (
  settings: NonNullable<ArchiveConfig['directory']> & { readonly stream: string },
) => ScannedFolder;
