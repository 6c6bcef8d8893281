import { countRepeat, noRepeats } from '../../core/repeats.ts';
import type { MonoMs } from '../../core/time.ts';
import { keyOf } from '../../core/timeline/agreement.ts';
import { bestCheck, type SegmentCheck, type SegmentName } from '../../core/timeline/compare.ts';
import type { CanonicalSegment } from '../../core/timeline/cutter.ts';
import type { RunHead } from '../../core/timeline/run.ts';
import type { Log } from '../ports.ts';
import type { Mate } from './mate.ts';
import { OwnLoss } from './own-loss.ts';
import type { Pending, Rung } from './rung.ts';

/** So long a segment is held back for the word of a member that has not cut it yet, ms. */
const holdMsMax = 400;
/** The same for one that lost packets here, or a keyframe, or may have: another member's bytes are better. */
const doubtfulHoldMsMax = 1_500;
/** Another member's bytes are asked for so often. */
const attemptsMax = 3;

/** Published segments are told with their checksums for so long, ms. */
const toldMsMax = 3_000;

/** Two segments that are farther apart, or overlap by more, are not neighbours, ticks. */
const apartTicksMax = 9_000;

export type ReleaseDeps = {
  readonly log: Log;
  readonly checksum: (bytes: Uint8Array) => string;
  /** Bytes of a segment from another member; undefined when they cannot be had. */
  readonly fetch: (mate: string, name: SegmentName) => Promise<Uint8Array | undefined>;
  /** Share of pictures of two segments that are the same, 0 to 1. */
  readonly likeness: (ours: Uint8Array, theirs: Uint8Array) => number;
};

/** What the comparison of segments has come to, of one stream. */
export type Damage = {
  /** Segments published with another member's bytes, since the stream began. */
  readonly replaced: number;
  /** Segments that could not be published: neither ours nor theirs. */
  readonly dropped: number;
  /** Both, within the last minute. */
  readonly lately: number;
};

/** Damage is told for so long, ms; at most this many are remembered. */
const latelyMs = 60_000;
const remembered = 1_000;

type PublishedContent = Omit<CanonicalSegment, 'bytes' | 'damagedUnits'>;

/** Members that a segment is compared with: those that follow its run now, and all that may have had it. */
type Compared = { readonly following: readonly Mate[]; readonly alike: readonly Mate[] };

/** What is published of a number; the times where another member's bytes are. */
type Final = { readonly bytes: Uint8Array } & Partial<
  Pick<SegmentCheck, 'startTicks' | 'durationTicks' | 'isIndependent' | 'endsAtKey' | 'checksum'>
>;

/**
 * Publishes what is cut: once every member that is asked agrees, with the bytes that all choose where they do not, or when
 * the time is over. Numbers go out in order. A segment of which others publish other bytes is never published.
 */
export class Release {
  readonly #deps: ReleaseDeps;
  readonly #stream: { readonly name: string; readonly group: string };
  #replaced = 0;
  #dropped = 0;
  #times: readonly MonoMs[] = [];
  #differing = noRepeats;
  readonly #ownLoss = new OwnLoss();

  constructor(deps: ReleaseDeps, stream: { name: string; group: string }) {
    this.#deps = deps;
    this.#stream = stream;
  }

  damage(at: MonoMs): Damage {
    const lately = this.#times.filter((time) => at - time <= latelyMs).length;
    return { replaced: this.#replaced, dropped: this.#dropped, lately };
  }

  /** True if anything was published or dropped. */
  run(rung: Rung, mates: Compared, at: MonoMs): boolean {
    let hasMoved = false;
    this.#ownLoss.review(mates.alike, at);
    for (;;) {
      const [pending] = rung.pending;
      if (pending === undefined) return hasMoved;
      const final = this.#decide(rung, pending, mates, at);
      if (final === 'wait') return hasMoved;
      hasMoved = true;
      rung.shift();
      this.#noteTimes(rung.index, pending, mates);
      if (final === 'drop' || !goesOn(rung, pending, final)) this.#dropped += this.#note(at);
      else this.#publish(rung, pending, final, at);
    }
  }

  #decide(rung: Rung, pending: Pending, mates: Compared, at: MonoMs): Final | 'wait' | 'drop' {
    const { number, bytes, damagedUnits, isIndependent, endsAtKey } = pending.segment;
    const checkOfMate = (mate: Mate) => mate.check(keyOf(pending.run), rung.index, number);
    const checks = mates.alike.flatMap((mate) => checkOfMate(mate) ?? []);
    const own = ownCheck(rung.index, pending);
    const best = bestCheck([own, ...checks]) ?? own;
    if (best.checksum !== own.checksum) {
      this.#ownLoss.compare(own, best, at);
      return this.#replace(rung, pending, best, mates, at);
    }
    const isDoubtful =
      damagedUnits > 0 || !(isIndependent && endsAtKey) || this.#ownLoss.isLikely(at);
    const isMissed = (mate: Mate) =>
      checkOfMate(mate) === undefined && (isDoubtful || !mate.isLate);
    // One whose time is just over may publish other bytes, unless it knows that ours are to be taken.
    const isContested = (mate: Mate) => {
      const theirs = checkOfMate(mate);
      return theirs !== undefined && theirs.checksum !== own.checksum && !mate.knows(own);
    };
    const awaited = isDoubtful ? mates.alike : mates.following;
    const holdMs = isDoubtful ? doubtfulHoldMsMax : holdMsMax;
    const isAwaited = awaited.some(isMissed) || mates.alike.some(isContested);
    if (isAwaited && at - pending.cutAt < holdMs) return 'wait';
    if (mates.alike.length > 0) this.#ownLoss.watch(own, at);
    return { bytes };
  }

  /** Another member's bytes, once they are there; without them nothing is published that differs from what viewers have. */
  #replace(
    rung: Rung,
    pending: Pending,
    best: SegmentCheck,
    mates: Compared,
    at: MonoMs,
  ): Final | 'wait' | 'drop' {
    const { replacement } = pending;
    if (replacement?.check.checksum === best.checksum) {
      const { bytes, attempts } = replacement;
      if (bytes === 'asked') return 'wait';
      if (bytes !== 'failed') {
        const { startTicks, durationTicks, isIndependent, endsAtKey, checksum } = best;
        return { bytes, startTicks, durationTicks, isIndependent, endsAtKey, checksum };
      }
      if (attempts >= attemptsMax) return best.isPublished ? 'drop' : pending.segment;
    }
    this.#fetch(rung, pending, best, mates, at);
    return 'wait';
  }

  #fetch(rung: Rung, pending: Pending, best: SegmentCheck, mates: Compared, at: MonoMs): void {
    const before = pending.replacement;
    const attempts = before?.check.checksum === best.checksum ? before.attempts + 1 : 1;
    const note = (bytes: Uint8Array | 'asked' | 'failed') => {
      pending.replacement = { check: best, attempts, bytes };
    };
    note('asked');
    this.#tell(at, pending.segment.number);
    const { checksum } = best;
    const { number } = pending.segment;
    const run = keyOf(pending.run);
    const holder = mates.alike.find(
      (mate) => mate.check(run, rung.index, number)?.checksum === checksum,
    );
    if (holder === undefined) {
      note('failed');
      return;
    }
    const name = { group: this.#stream.group, rung: rung.index, number, checksum };
    void this.#deps.fetch(holder.id, name).then((bytes) => {
      const isRight = bytes !== undefined && this.#deps.checksum(bytes) === checksum;
      if (pending.replacement?.check !== best) return;
      note(isRight ? bytes : 'failed');
      if (isRight) holder.noteLikeness(this.#deps.likeness(pending.segment.bytes, bytes));
    });
  }

  #publish(rung: Rung, { segment, run, checksum }: Pending, final: Final, at: MonoMs): void {
    const isReplaced = final.bytes !== segment.bytes;
    if (isReplaced) this.#replaced += this.#note(at);
    const whole = { ...segment, checksum, ...final, run, publishedAt: at };
    const isGap = whole.bytes.length === 0;
    rung.window.add({ ...whole, isGap, tags: rung.tagsOf(whole.startTicks, whole.durationTicks) });
  }

  #note(at: MonoMs): 1 {
    this.#times = [...this.#times, at].slice(-remembered);
    return 1;
  }

  /** A member that never comes in time is not waited for, until it does. */
  #noteTimes(rung: number, { run, segment }: Pending, { following }: Compared): void {
    if (rung !== 0) return;
    for (const mate of following)
      mate.noteInTime(mate.check(keyOf(run), rung, segment.number) !== undefined);
  }

  #tell(at: MonoMs, number: number): void {
    const { repeats, tell } = countRepeat(this.#differing, at);
    this.#differing = repeats;
    const { name } = this.#stream;
    if (tell)
      this.#deps.log.warn('segment differs between members', { stream: name, number, count: tell });
  }
}

/**
 * Whether a segment begins where the one before ends: not so when that one had to be taken from another member, whose
 * packager had a keyframe that ours has lost. Then this one would show the same pictures again.
 */
function goesOn({ window }: Rung, { segment, run }: Pending, final: Final): boolean {
  const before = window.newest;
  if (before?.number !== segment.number - 1 || keyOf(before.run) !== keyOf(run)) return true;
  const apart = (final.startTicks ?? segment.startTicks) - before.startTicks - before.durationTicks;
  return Math.abs(apart) <= apartTicksMax;
}

/** What this member says of a segment that is cut, not published yet. */
function ownCheck(rung: number, { segment, checksum, run }: Pending): SegmentCheck {
  const { damagedUnits } = segment;
  return { ...checkOf(rung, segment, { checksum, run }), damagedUnits, isPublished: false };
}

function checkOf(
  rung: number,
  { number, startTicks, durationTicks, isIndependent, endsAtKey, contentBytes }: PublishedContent,
  { checksum, run }: { readonly checksum: string; readonly run: RunHead },
) {
  const times = { startTicks, durationTicks, isIndependent, endsAtKey };
  return { rung, number, run: keyOf(run), ...times, checksum, bytes: contentBytes };
}

/**
 * What this member tells others of a rung: what is published since a moment, and what is still to be; of older
 * segments, those that the other one is about to publish (`asked`): it has come back, and reads its window anew.
 */
export function checksOf(
  { index, pending, window }: Rung,
  at: MonoMs,
  asked: readonly SegmentCheck[],
): readonly SegmentCheck[] {
  const isAsked = (number: number) =>
    asked.some((check) => check.rung === index && check.number === number && !check.isPublished);
  const published = window.told
    .filter(({ publishedAt, number }) => at - publishedAt <= toldMsMax || isAsked(number))
    .map((segment) => ({
      ...checkOf(index, segment, segment),
      ...{ damagedUnits: 0, isPublished: true },
    }));
  return [...published, ...pending.map((each) => ownCheck(index, each))];
}
