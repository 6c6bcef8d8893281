import type { MonoMs, Now } from '../../core/time.ts';
import { type Following, keyOf } from '../../core/timeline/agreement.ts';
import type { SegmentCheck, TimelineWord } from '../../core/timeline/compare.ts';
import { layoutOf } from '../../core/timeline/layout.ts';
import { keepMarks, type Mark, marksOf } from '../../core/timeline/marks.ts';
import { canonicalPrefix } from '../../core/timeline/names.ts';
import type { SegmentTags } from '../../core/timeline/origin-tags.ts';
import type { Checksum, Log, TimelineStore } from '../ports.ts';
import { CanonicalWindow } from './canonical-window.ts';
import { Course } from './course.ts';
import { type LeftAlone, leftBy } from './left-alone.ts';
import { type MateSeen, Mates } from './mates.ts';
import { checksOf, type Damage, Release, type ReleaseDeps } from './release.ts';
import { type FedReading, Rung } from './rung.ts';
import type { WindowMemory } from './window-memory.ts';

export type TimelineDeps = ReleaseDeps & {
  readonly store: TimelineStore;
  readonly nodeId: string;
  readonly log: Log;
  readonly checksum: Checksum;
  /** Members of the group that can be reached, with their clocks. */
  readonly mates: (group: string, now: Now) => readonly MateSeen[];
  /** Whether it is known of every peer whether it can be reached. */
  readonly isComplete: (now: Now) => boolean;
  /** Something was cut or decided that the other members should hear of at once. */
  readonly hurry: (stream: string) => void;
  /** Of all streams of this node. */
  readonly windowMemory: WindowMemory;
};

export type TimelineStream = {
  readonly name: string;
  readonly group: string;
  /** The operator says that the sources are the same. */
  readonly declared: boolean;
  /** The agent is its packager: there is nothing it could be left as. */
  readonly isFeed: boolean;
};

/**
 * The canonical stream of one member (`docs/timeline.md`): which run it follows, what it publishes of it. Fed with what the
 * packager made, off the path of requests; requests read the windows.
 */
export class StreamTimeline {
  readonly stream: TimelineStream;
  readonly #deps: TimelineDeps;
  readonly #release: Release;
  readonly #course: Course;
  readonly mates = new Mates();
  #rungs: readonly Rung[] = [];
  #marks: readonly Mark[] = [];
  #hasNewMarks = false;
  #leftAlone: LeftAlone | undefined;

  constructor(deps: TimelineDeps, stream: TimelineStream) {
    this.#deps = deps;
    this.stream = stream;
    this.#release = new Release(deps, stream);
    this.#course = new Course({
      ...{ ...deps, mates: this.mates, stream: stream.name },
      rungs: () => this.#rungs,
      lead: () => this.#lead(),
      marks: () => (this.#lead()?.hasVideo ? this.#marks.length : undefined),
      leaveAlone: (why) => this.leaveAlone(why),
    });
  }

  get leftAlone(): LeftAlone | undefined {
    return this.#leftAlone;
  }

  get runKey(): string | undefined {
    return this.#course.following && keyOf(this.#course.following.run);
  }

  /** What is added to the packager's times; undefined while it follows no run. */
  get offsetTicks(): number | undefined {
    return this.#course.following?.offset;
  }

  /** Whether viewers may be given its playlists: it follows a run that is settled, and every window is whole. */
  get isOffered(): boolean {
    const { isOffered = false } = this.#course.following ?? {};
    return isOffered && this.#rungs.every(({ window }) => window.isWhole);
  }

  /** Keys of the runs whose segments viewers get now. */
  get listedRuns(): readonly string[] {
    return [...new Set(this.#rungs.flatMap(({ window }) => window.runs.map(keyOf)))];
  }

  get newestNumber(): number {
    return this.#rungs[0]?.window.newest?.number ?? 0;
  }

  damage(at: MonoMs): Damage {
    return this.#release.damage(at);
  }

  window(rung: number): CanonicalWindow | undefined {
    return this.#rungs[rung]?.window;
  }

  /** So many variant streams and renditions are fed; with another number all begins anew, numbers still do not fall. */
  setRungs(count: number): void {
    if (this.#rungs.length === count) return;
    this.#course.lose();
    this.dropWindows();
    this.#rungs = Array.from({ length: count }, (_, index) => {
      const window = new CanonicalWindow(canonicalPrefix(index), this.#deps.windowMemory);
      return new Rung(index, { checksum: this.#deps.checksum, window });
    });
  }

  /** The next that a rung's packager made. */
  feed(index: number, fed: FedReading, now: Now): void {
    const rung = this.#rungs[index];
    if (rung === undefined) return;
    const layout = layoutOf(fed.reading.tracks);
    if (layout === 'codec' || layout === 'encrypted') this.leaveAlone(leftBy[layout]);
    if (this.#leftAlone !== undefined) return;
    this.#course.begin(now);
    const goesOn = rung.take(fed, now.monoMs);
    if (!goesOn) {
      if (this.#course.following !== undefined)
        this.#deps.log.warn('packager began anew', { stream: this.stream.name });
      this.#course.lose();
      this.#course.begin(now);
    }
    if (rung === this.#lead()) this.#mark(fed, goesOn);
    this.tick(now);
    if (rung.pending.length > 0) this.#deps.hurry(this.stream.name);
  }

  /** All tags that the playlist of a rung has now. */
  retag(rung: number, tags: readonly SegmentTags[]): void {
    this.#rungs[rung]?.retag(tags);
  }

  /** Bytes of all that its windows keep. */
  get windowBytes(): number {
    return this.#rungs.reduce((sum, { window }) => sum + window.bytes, 0);
  }

  /** Nothing that was published is to be had any more. */
  dropWindows(): void {
    for (const { window } of this.#rungs) window.drop();
  }

  /** The stream stays as its origin makes it. */
  leaveAlone(why: LeftAlone): void {
    if (this.#leftAlone === undefined)
      this.#deps.log.warn('stream left as it is', { stream: this.stream.name, why });
    this.#leftAlone = why;
    this.#course.lose();
  }

  tick(now: Now): void {
    if (this.#leftAlone !== undefined) return;
    const { declared, group } = this.stream;
    this.mates.isComplete = this.#deps.isComplete(now);
    const seen = this.#deps.mates(group, now);
    const { newestNumber: ownNewest } = this;
    const options = { declared, isNew: this.#hasNewMarks, ownNewest, at: now.monoMs };
    this.mates.review(seen, this.#marks, options);
    this.#hasNewMarks = false;
    const isDecided = this.#course.decide(now);
    this.#publish(now, isDecided);
  }

  /** Our word on this stream, for a member of its group. */
  word(
    want: { marks: boolean; runs: boolean },
    now: Now,
    asked: readonly SegmentCheck[] = [],
  ): TimelineWord {
    const { group } = this.stream;
    const { following, last } = this.#course;
    const runs = want.runs ? this.#course.runsNow() : undefined;
    const checks = this.#rungs.flatMap((rung) => checksOf(rung, now.monoMs, asked));
    const head = following && { ...following, run: headOf(following.run) };
    const marks = want.marks ? this.#marks : undefined;
    const { packagedMs } = this.#lead() ?? {};
    const listed = this.listedRuns;
    const isOne = listed.every((key) => key === this.runKey);
    const told = { listed: isOne ? undefined : listed, packagedMs };
    return { group, following: head, last, ...told, marks, runs, checks };
  }

  /** Bytes of a segment that another member asks for, published or not. */
  segment(rung: number, number: number, checksum: string): Uint8Array | undefined {
    const known = this.#rungs[rung];
    const pending = known?.pending.find(
      (each) => each.segment.number === number && each.checksum === checksum,
    );
    const published = known?.window.find(number);
    return (
      pending?.segment.bytes ?? (published?.checksum === checksum ? published.bytes : undefined)
    );
  }

  #lead(): Rung | undefined {
    return this.#rungs.find(({ hasVideo }) => hasVideo) ?? this.#rungs[0];
  }

  #mark({ reading, completeAt }: FedReading, goesOn: boolean): void {
    if (!goesOn) {
      this.#marks = [];
      this.mates.forgetProofs();
    }
    const video = reading.tracks.find(({ kind }) => kind === 'video');
    if (video?.kind !== 'video') return;
    const fresh = marksOf(video.format, reading.units, completeAt);
    if (fresh.length === 0) return;
    this.#marks = keepMarks(this.#marks, fresh);
    this.#hasNewMarks = true;
  }

  #publish(now: Now, isDecided: boolean): void {
    const { following } = this.#course;
    if (following === undefined) return;
    const { alike } = this.mates;
    const mates = { following: this.mates.following(keyOf(following.run)), alike };
    let hasMoved = false;
    for (const rung of this.#rungs)
      hasMoved = this.#release.run(rung, mates, now.monoMs) || hasMoved;
    if (!hasMoved && !isDecided) return;
    const numbers = this.#rungs.flatMap(({ window }) => window.newest?.number ?? []);
    this.#course.notePublished(numbers, now);
    this.#deps.hurry(this.stream.name);
  }
}

function headOf({ sequence, succeeds, foundedAt, foundedBy }: Following['run']) {
  return { sequence, succeeds, foundedAt, foundedBy };
}
