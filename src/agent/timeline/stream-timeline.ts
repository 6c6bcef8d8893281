import type { MonoMs, Now } from '../../core/time.ts';
import {
  type Agreement,
  agreeOnRun,
  type Following,
  keyOf,
  mayOffer,
  settleMsMax,
  type TimelineFacts,
} from '../../core/timeline/agreement.ts';
import type { TimelineWord } from '../../core/timeline/compare.ts';
import { foundRuns } from '../../core/timeline/found-runs.ts';
import { layoutOf } from '../../core/timeline/layout.ts';
import { keepMarks, type Mark, marksOf } from '../../core/timeline/marks.ts';
import { canonicalPrefix } from '../../core/timeline/names.ts';
import type { SegmentTags } from '../../core/timeline/origin-tags.ts';
import type { TimelineRun } from '../../core/timeline/run.ts';
import type { Checksum, Log } from '../ports.ts';
import { CanonicalWindow } from './canonical-window.ts';
import { type LeftAlone, leftBy } from './left-alone.ts';
import { type MateSeen, Mates } from './mates.ts';
import { checksOf, Release, type ReleaseDeps } from './release.ts';
import { type FedReading, Rung } from './rung.ts';

/** Segment duration that is wished for (`docs/timeline.md`, "The run"). */
const segmentMs = 2_000;
/** Rungs of which nothing was read after so long make the stream one that is left alone. */
const rungsMsMax = 20_000;
export type TimelineDeps = ReleaseDeps & {
  readonly nodeId: string;
  readonly log: Log;
  readonly checksum: Checksum;
  /** Members of the group that can be reached, with their clocks. */
  readonly mates: (group: string, now: Now) => readonly MateSeen[];
  /** Something was cut or decided that the other members should hear of at once. */
  readonly hurry: (stream: string) => void;
};

export type TimelineStream = {
  readonly name: string;
  readonly group: string;
  /** The operator says that the sources are the same. */
  readonly declared: boolean;
};

/**
 * The canonical stream of one member (`docs/timeline.md`): which run it follows, what it publishes of it. Fed with what the
 * packager made, off the path of requests; requests read the windows.
 */
export class StreamTimeline {
  readonly stream: TimelineStream;
  readonly #deps: TimelineDeps;
  readonly #release: Release;
  readonly mates = new Mates();
  #rungs: readonly Rung[] = [];
  #marks: readonly Mark[] = [];
  #hasNewMarks = false;
  #following: Following | undefined;
  #last: { sequence: number; number: number } | undefined;
  /** Since when it reads, or follows what it follows. */
  #since: MonoMs | undefined;
  #leftAlone: LeftAlone | undefined;

  constructor(deps: TimelineDeps, stream: TimelineStream) {
    this.#deps = deps;
    this.stream = stream;
    this.#release = new Release(deps, stream);
  }

  get leftAlone(): LeftAlone | undefined {
    return this.#leftAlone;
  }

  get runKey(): string | undefined {
    return this.#following && keyOf(this.#following.run);
  }

  /** Whether viewers may be given its playlists: it follows a run that is settled, and every window is whole. */
  get isOffered(): boolean {
    const { isOffered = false } = this.#following ?? {};
    return isOffered && this.#rungs.every(({ window }) => window.isWhole);
  }

  get newestNumber(): number {
    return this.#rungs[0]?.window.newest?.number ?? 0;
  }

  get counts() {
    return this.#release.counts;
  }

  window(rung: number): CanonicalWindow | undefined {
    return this.#rungs[rung]?.window;
  }

  /** So many variant streams and renditions are fed; with another number all begins anew, numbers still do not fall. */
  setRungs(count: number): void {
    if (this.#rungs.length === count) return;
    this.#lose();
    this.#rungs = Array.from({ length: count }, (_, index) => {
      const window = new CanonicalWindow(canonicalPrefix(index));
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
    this.#since ??= now.monoMs;
    const goesOn = rung.take(fed, now.monoMs);
    if (!goesOn && this.#following !== undefined) this.#jump(rung, now);
    if (rung === this.#lead()) this.#mark(fed, goesOn);
    this.tick(now);
    if (rung.pending.length > 0) this.#deps.hurry(this.stream.name);
  }

  /** All tags that the playlist of a rung has now. */
  retag(rung: number, tags: readonly SegmentTags[]): void {
    this.#rungs[rung]?.retag(tags);
  }

  /** The stream stays as its origin makes it. */
  leaveAlone(why: LeftAlone): void {
    if (this.#leftAlone === undefined)
      this.#deps.log.warn('stream left as it is', { stream: this.stream.name, why });
    this.#leftAlone = why;
    this.#lose();
  }

  tick(now: Now): void {
    if (this.#leftAlone !== undefined || this.#since === undefined) return;
    const seen = this.#deps.mates(this.stream.group, now);
    const { declared } = this.stream;
    this.mates.review(seen, this.#marks, { declared, isNew: this.#hasNewMarks });
    this.#hasNewMarks = false;
    this.#decide(now);
    this.#publish(now);
  }

  /** Our word on this stream, for a member of its group. */
  word(want: { marks: boolean; runs: boolean }, now: Now): TimelineWord {
    const { group } = this.stream;
    const following = this.#following;
    const runs = want.runs && following !== undefined ? this.#runsNow() : undefined;
    const checks = this.#rungs.flatMap((rung) => checksOf(rung, now.monoMs));
    const head = following && { ...following, run: headOf(following.run) };
    const marks = want.marks ? this.#marks : undefined;
    return { group, following: head, last: this.#last, marks, runs, checks };
  }

  /** Bytes of a segment that another member asks for, published or not. */
  segment(rung: number, number: number, checksum: string): Uint8Array | undefined {
    const known = this.#rungs[rung];
    const pending = known?.pending.find(
      (each) => each.segment.number === number && each.checksum === checksum,
    );
    const published = known?.window.get(number);
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

  /** The packager's times jumped: it is placed in no run until it is proved again, or founds the next one. */
  #jump(rung: Rung, now: Now): void {
    this.#deps.log.warn('packager began anew', { stream: this.stream.name, rung: rung.index });
    this.#lose();
    this.#since = now.monoMs;
  }

  #lose(): void {
    this.#following = undefined;
    this.#since = undefined;
    for (const rung of this.#rungs) rung.stop();
  }

  #facts(): TimelineFacts {
    return { nodeId: this.#deps.nodeId, following: this.#following, last: this.#last };
  }

  #decide(now: Now): void {
    const peers = this.mates.reachable.map(({ timeline }) => timeline);
    const waitedMs = now.monoMs - (this.#since ?? now.monoMs);
    const agreement = agreeOnRun(this.#facts(), peers);
    if (agreement.kind === 'adopt') this.#adopt(agreement, now);
    else if (agreement.kind === 'found' && this.#mayFound(waitedMs))
      this.#found(agreement, waitedMs, now);
    const following = this.#following;
    if (following === undefined || following.isOffered) return;
    if (!mayOffer(this.#facts(), peers, waitedMs)) return;
    this.#following = { ...following, isOffered: true };
    this.#deps.hurry(this.stream.name);
  }

  /** A member that offers a run, and is not compared yet, is waited for: it may be one that we can join. */
  #mayFound(waitedMs: number): boolean {
    const isOpen = this.mates.reachable.some(
      ({ proof, word }) => proof.kind === 'unknown' && word?.following?.isOffered,
    );
    return !isOpen || waitedMs >= settleMsMax;
  }

  #adopt({ run, offset }: Extract<Agreement, { kind: 'adopt' }>, now: Now): void {
    const runs = this.mates.runsOf(keyOf(run));
    if (runs === undefined || runs.length !== this.#rungs.length) return;
    this.#follow(runs, offset, now);
  }

  #found({ previous }: Extract<Agreement, { kind: 'found' }>, waitedMs: number, now: Now): void {
    const lead = this.#lead();
    if (lead?.newestAt === undefined) return;
    const { nodeId } = this.#deps;
    const founded = foundRuns(
      { nodeId, segmentMs, previous, arrivedAt: lead.newestAt },
      this.#rungs.map((rung) => rung.facts()),
      { lead: lead.index, isLate: waitedMs > rungsMsMax },
    );
    if (founded.kind === 'refused') this.leaveAlone(leftBy[founded.why]);
    if (founded.kind === 'founded') this.#follow(founded.runs, founded.offset, now);
  }

  #follow(runs: readonly TimelineRun[], offset: number, now: Now): void {
    const [run] = runs;
    if (run === undefined) return;
    this.#following = { run, offset, isOffered: false };
    this.#since = now.monoMs;
    const firstNumber = (this.#last?.number ?? -1) + 1;
    for (const [index, rung] of this.#rungs.entries()) {
      const own = runs[index];
      if (own !== undefined) rung.start(own, offset, firstNumber, now.monoMs);
    }
    const { name } = this.stream;
    const { sequence, foundedBy } = run;
    this.#deps.log.info('timeline followed', { stream: name, sequence, foundedBy });
    this.#deps.hurry(name);
  }

  #publish(now: Now): void {
    const following = this.#following;
    if (following === undefined) return;
    const mates = this.mates.following(keyOf(following.run));
    let hasMoved = false;
    for (const rung of this.#rungs)
      hasMoved = this.#release.run(rung, mates, now.monoMs) || hasMoved;
    if (!hasMoved) return;
    const number = Math.max(...this.#rungs.map(({ window }) => window.newest?.number ?? 0));
    if (following.isOffered) this.#last = { sequence: following.run.sequence, number };
    this.#deps.hurry(this.stream.name);
  }

  #runsNow(): readonly TimelineRun[] | undefined {
    const runs = this.#rungs.flatMap((rung) => rung.runNow() ?? []);
    return runs.length === this.#rungs.length ? runs : undefined;
  }
}

function headOf({ sequence, succeeds, foundedAt, foundedBy }: Following['run']) {
  return { sequence, succeeds, foundedAt, foundedBy };
}
