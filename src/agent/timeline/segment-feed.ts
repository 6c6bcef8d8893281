import { createFmp4Reader, isFmp4 } from '../../core/media/fmp4-reader.ts';
import { createTsReader, isTs } from '../../core/media/ts-reader.ts';
import type { Reading, SegmentReader, Unit } from '../../core/media/units.ts';
import type { LiveWindow } from '../../core/stream/live-window.ts';
import type { Now } from '../../core/time.ts';
import { type SegmentTags, tagsOf } from '../../core/timeline/origin-tags.ts';
import type { Clock, Origin } from '../ports.ts';
import type { LeftAlone } from './left-alone.ts';
import type { FedReading } from './rung.ts';

/** Largest segment that is read, bytes. */
const segmentBytesMax = 32 * 1024 * 1024;
const segmentMsMax = 4_000;
/** So much of the window is read at first: enough keyframes for a run to be founded at once. */
const firstMsMax = 16_000;
/** A segment that cannot be had is left out after so many attempts. */
const attemptsMax = 4;
/** Segments in a row that are neither MPEG-TS nor fMP4, or not to be had, make a stream one that cannot be read. */
const unreadableMax = 3;
/** Read at once; in between others get their turn, bytes. */
const sliceBytes = 512 * 1024;

type FeedDeps = {
  readonly clock: Clock;
  readonly origin: Origin;
  /** Lets others have their turn. */
  readonly pause: () => Promise<void>;
  readonly take: (fed: FedReading, now: Now) => void;
  readonly leaveAlone: (why: LeftAlone) => void;
};

type Listed = LiveWindow['playlist']['segments'][number] & {
  readonly sequence: number;
  readonly tags?: SegmentTags | undefined;
};

/** Reads the segments of one media playlist, each once and in order, as units. */
export class SegmentFeed {
  readonly #deps: FeedDeps;
  #next: number | undefined;
  #attempts = 0;
  #unreadable = 0;
  #reader: SegmentReader | undefined;
  #readerOf: string | undefined;
  #isReading = false;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
  }

  /** Reads what `window` lists beyond what was read; one call at a time. True when nothing is left to read. Never fails. */
  async read(window: LiveWindow, urlOf: (uri: string) => string | undefined): Promise<boolean> {
    if (this.#isReading) return false;
    this.#isReading = true;
    try {
      const due = this.#due(window);
      const tags = due.length === 0 ? [] : tagsOf(window.bytes);
      for (const segment of due) {
        const ofSegment = tags.find(({ mediaSequence }) => mediaSequence === segment.sequence);
        if (segment.gap || (await this.#readOne({ ...segment, tags: ofSegment }, window, urlOf)))
          this.#pass(segment);
        else if (this.#isTooOften()) {
          this.#pass(segment);
          this.#noteUnreadable();
        } else return false;
      }
      return true;
    } finally {
      this.#isReading = false;
    }
  }

  #due({ playlist }: LiveWindow): readonly Listed[] {
    const first = playlist.mediaSequence + playlist.skippedSegments;
    const listed = playlist.segments.map((segment, at) => ({ ...segment, sequence: first + at }));
    const end = first + listed.length;
    // Numbers that fell back name other segments.
    if (this.#next !== undefined && this.#next > end) this.#next = undefined;
    if (this.#next === undefined) {
      let ms = 0;
      const recent = listed.toReversed().findIndex(({ durationMs }) => {
        ms += durationMs;
        return ms > firstMsMax;
      });
      this.#next = recent < 0 ? first : end - recent;
    }
    const next = this.#next;
    return listed.filter(({ sequence }) => sequence >= next);
  }

  async #readOne(
    segment: Listed,
    window: LiveWindow,
    urlOf: (uri: string) => string | undefined,
  ): Promise<boolean> {
    const completeAt = this.#deps.clock.now().wallMs - durationAfter(segment, window);
    const [bytes, init] = await Promise.all([
      this.#fetch(urlOf(segment.uri)),
      segment.mapUri === undefined || segment.mapUri === this.#readerOf
        ? undefined
        : this.#fetch(urlOf(segment.mapUri)),
    ]);
    if (bytes === undefined) return false;
    if (segment.mapUri !== undefined && init === undefined && this.#reader === undefined)
      return false;
    const reader = this.#readerFor(bytes, segment.mapUri, init);
    if (reader === undefined) return false;
    const reading = await this.#readWhole(reader, bytes);
    if (reading.tracks.length === 0) return false;
    this.#unreadable = 0;
    // Players take HEVC in MPEG-TS from nobody but its own packager: what came as fMP4 must stay it.
    const isHevc = reading.tracks.some(
      (track) => track.kind === 'video' && track.format === 'hevc',
    );
    if (isHevc && isFmp4(bytes)) this.#deps.leaveAlone('codec-unsupported');
    const { tags } = segment;
    this.#deps.take({ reading, completeAt, bytes: bytes.length, tags }, this.#deps.clock.now());
    return true;
  }

  #readerFor(
    bytes: Uint8Array,
    mapUri: string | undefined,
    init: Uint8Array | undefined,
  ): SegmentReader | undefined {
    if (init !== undefined) {
      this.#reader = createFmp4Reader(init);
      this.#readerOf = mapUri;
    }
    if (this.#reader !== undefined) return this.#reader;
    this.#reader = isTs(bytes) ? createTsReader() : isFmp4(bytes) ? createFmp4Reader() : undefined;
    return this.#reader;
  }

  async #fetch(url: string | undefined): Promise<Uint8Array | undefined> {
    if (url === undefined) return undefined;
    const limits = { deadlineMs: segmentMsMax, bytesMax: segmentBytesMax };
    const found = await this.#deps.origin.read(url, limits);
    return found.kind === 'body' ? found.bytes : undefined;
  }

  /** Reads a segment in pieces, so that requests are answered in between. */
  async #readWhole(reader: SegmentReader, bytes: Uint8Array): Promise<Reading> {
    const units: Unit[] = [];
    let faults = 0;
    for (let at = 0; ; at += sliceBytes) {
      const isLast = at + sliceBytes >= bytes.length;
      const part = bytes.subarray(at, isLast ? bytes.length : at + sliceBytes);
      const reading = reader.read(part, isLast ? 'segment' : 'open');
      units.push(...reading.units);
      faults += reading.faults;
      if (isLast) return { tracks: reading.tracks, units, faults };
      await this.#deps.pause();
    }
  }

  #pass(segment: Listed): void {
    this.#next = segment.sequence + 1;
    this.#attempts = 0;
  }

  #isTooOften(): boolean {
    this.#attempts += 1;
    return this.#attempts >= attemptsMax;
  }

  #noteUnreadable(): void {
    this.#unreadable += 1;
    if (this.#unreadable >= unreadableMax) this.#deps.leaveAlone('segments-unreadable');
  }
}

/** Durations of the segments listed behind this one: so much earlier it was complete than the last. */
function durationAfter({ sequence }: Listed, { playlist }: LiveWindow): number {
  const first = playlist.mediaSequence + playlist.skippedSegments;
  return playlist.segments
    .slice(sequence - first + 1)
    .reduce((ms, segment) => ms + segment.durationMs, 0);
}
