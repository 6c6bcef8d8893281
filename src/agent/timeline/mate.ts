import type { MonoMs } from '../../core/time.ts';
import { keyOf, type PeerTimeline } from '../../core/timeline/agreement.ts';
import type { SegmentCheck, TimelineWord } from '../../core/timeline/compare.ts';
import type { Mark } from '../../core/timeline/marks.ts';
import { proveSameSource, reviewProof, type SourceProof } from '../../core/timeline/proof.ts';
import type { TimelineRun } from '../../core/timeline/run.ts';

/** Checks remembered of one member. */
const checksMax = 200;
/** A member whose checks came too late so often in a row is not waited for. */
const lateMax = 3;
/** Segments in a row in which hardly a picture was the same: another encoder, whatever its keyframes say. */
const strangeMax = 3;
const likenessMin = 0.25;

/** A window that ends two or more segments before ours for so long is behind, ms: longer than any packager's segment should be. */
const lagMsMin = 6_000;

const nothingKnown: SourceProof = { kind: 'unknown', why: 'marks' };

/** Another member of the group, as far as the timeline of one stream goes. */
export class Mate {
  readonly id: string;
  #word: TimelineWord | undefined;
  #marks: readonly Mark[] = [];
  #proof: SourceProof = nothingKnown;
  #runs: readonly TimelineRun[] = [];
  #checks = new Map<string, SegmentCheck>();
  #told: readonly SegmentCheck[] = [];
  #late = 0;
  #strange = 0;
  #isStale = true;
  #lag = 0;
  #lagMs = 0;
  #laggingSince: MonoMs | undefined;
  /** When marks of it were last heard. */
  markedAt: MonoMs = Number.NEGATIVE_INFINITY;
  /** Newest number of its first rung that viewers get. */
  newestNumber = 0;

  constructor(id: string) {
    this.id = id;
  }

  get word(): TimelineWord | undefined {
    return this.#word;
  }

  get proof(): SourceProof {
    return this.#strange >= strangeMax ? { kind: 'different' } : this.#proof;
  }

  /** Key of the run that it follows. */
  get runKey(): string | undefined {
    return this.#word?.following && keyOf(this.#word.following.run);
  }

  /** Keys of the runs whose segments its viewers get. */
  get listedRuns(): readonly string[] {
    return this.#word?.listed ?? (this.runKey === undefined ? [] : [this.runKey]);
  }

  /** The run of each rung, if they are those of the run that it follows now. */
  get runs(): readonly TimelineRun[] | undefined {
    const [first] = this.#runs;
    return first !== undefined && keyOf(first) === this.runKey ? this.#runs : undefined;
  }

  get isLate(): boolean {
    return this.#late >= lateMax;
  }

  /** As {@link agreeOnRun} wants it. */
  get timeline(): PeerTimeline {
    const { following, last } = this.#word ?? {};
    const { proof } = this;
    const difference = proof.kind === 'proved' ? proof.difference : undefined;
    return { nodeId: this.id, following, last, difference };
  }

  /** Our offset in its run, if it stands right there; absent while the source is not proved. */
  get ownOffset(): number | undefined {
    const { difference, following } = this.timeline;
    return difference === undefined || following === undefined
      ? undefined
      : following.offset + difference;
  }

  hear(word: TimelineWord, at: MonoMs): void {
    const key = this.runKey;
    this.#word = word;
    if (this.runKey !== key) this.newestNumber = 0;
    if (word.runs !== undefined) this.#runs = word.runs;
    for (const check of word.checks) this.#take(check);
    if (word.marks !== undefined) this.#hearMarks(word.marks, at);
  }

  /** Our own packager's times jumped: nothing is known any more. */
  forgetProof(): void {
    this.#proof = nothingKnown;
    this.#strange = 0;
    this.#isStale = true;
  }

  /** The proof as of now; does nothing where neither side has new marks. */
  review(
    ours: readonly Mark[],
    options: { isNew: boolean; clockOffsetMs: number; declared: boolean },
  ): void {
    if (!options.isNew && !this.#isStale) return;
    this.#isStale = false;
    const known = this.#proof;
    this.#proof =
      known.kind === 'proved'
        ? reviewProof(known, ours, this.#marks, options)
        : proveSameSource(ours, this.#marks, options);
  }

  /** Looks again how far its window ends before ours. */
  noteLag(ownNewest: number, at: MonoMs): void {
    this.#lag = Math.max(0, ownNewest - this.newestNumber);
    this.#laggingSince = this.#lag > 1 ? (this.#laggingSince ?? at) : undefined;
    this.#lagMs = at - (this.#laggingSince ?? at);
  }

  /**
   * How many segments its window ends before ours. A packager of long segments brings several at once: more than one
   * counts only when it has lasted.
   */
  get segmentsBehind(): number {
    return this.#lagMs >= lagMsMin ? this.#lag : Math.min(this.#lag, 1);
  }

  check(run: string, rung: number, number: number): SegmentCheck | undefined {
    return this.#checks.get(`${run} ${rung}/${number}`);
  }

  /** It answered a question of ours that held these checks: what it says now, it says in knowledge of them. */
  noteTold(checks: readonly SegmentCheck[]): void {
    this.#told = checks;
  }

  /** Whether it knew this check of ours when it last spoke. */
  knows({ run, rung, number, checksum }: SegmentCheck): boolean {
    const isOf = (told: SegmentCheck) => told.number === number && told.checksum === checksum;
    return this.#told.some((told) => isOf(told) && told.rung === rung && told.run === run);
  }

  /** Whether its check of a number came soon enough to be waited for the next time. */
  noteInTime(isInTime: boolean): void {
    this.#late = isInTime ? 0 : this.#late + 1;
  }

  /** What a comparison of two segments of one number showed: the share of pictures that were the same. */
  noteLikeness(share: number): void {
    this.#strange = share < likenessMin ? this.#strange + 1 : 0;
  }

  #hearMarks(marks: readonly Mark[], at: MonoMs): void {
    const known = new Set(this.#marks.map(({ hash, pts }) => `${hash} ${pts}`));
    const goesOn =
      this.#marks.length === 0 || marks.some(({ hash, pts }) => known.has(`${hash} ${pts}`));
    // Its packager began anew: the difference of before tells nothing of the one of now.
    const isRestart = !goesOn && marks.length < this.#marks.length;
    if (isRestart) this.forgetProof();
    this.#marks = marks;
    this.markedAt = at;
    this.#isStale = true;
  }

  #take(check: SegmentCheck): void {
    const key = `${check.run} ${check.rung}/${check.number}`;
    this.#checks.delete(key);
    this.#checks.set(key, check);
    if (check.rung === 0 && check.isPublished)
      this.newestNumber = Math.max(this.newestNumber, check.number);
    for (const oldest of this.#checks.keys()) {
      if (this.#checks.size <= checksMax) break;
      this.#checks.delete(oldest);
    }
  }
}
