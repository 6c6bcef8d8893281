import { ticksPerSecond, unwrapTicks } from '../../core/media/units.ts';
import type { MonoMs, Now } from '../../core/time.ts';
import {
  type Agreement,
  agreeOnRun,
  type Following,
  hasWaited,
  keyOf,
  mayOffer,
  type TimelineFacts,
} from '../../core/timeline/agreement.ts';
import { foundRuns } from '../../core/timeline/found-runs.ts';
import { wishedSegmentMs } from '../../core/timeline/packaged.ts';
import { type Remembered, resumes } from '../../core/timeline/resume.ts';
import type { TimelineRun } from '../../core/timeline/run.ts';
import { succeedRuns } from '../../core/timeline/succeed-runs.ts';
import { areTogether } from '../../core/timeline/together.ts';
import type { Log, TimelineStore } from '../ports.ts';
import { judgeMates } from './judge-mates.ts';
import { type LeftAlone, leftBy } from './left-alone.ts';
import type { Mates } from './mates.ts';
import { createMemory, type Memory } from './memory.ts';
import type { Rung } from './rung.ts';

/** Rungs of which nothing was read after so long make the stream one that is left alone. */
const rungsMsMax = 20_000;
/** Two places in one run farther apart than this are two, ticks; they must be apart for so long, ms. */
const misplacedTicks = 450;
const misplacedMsMin = 3_000;

export type CourseDeps = {
  readonly nodeId: string;
  readonly stream: string;
  readonly log: Log;
  readonly store: TimelineStore;
  readonly mates: Mates;
  readonly rungs: () => readonly Rung[];
  /** The rung whose pictures are compared and whose keyframes make the windows. */
  readonly lead: () => Rung | undefined;
  /** Keyframes that are compared; undefined where there are no pictures. */
  readonly marks: () => number | undefined;
  readonly leaveAlone: (why: LeftAlone) => void;
};

type Previous = Extract<Agreement, { kind: 'found' }>['previous'];

/** Which run a stream follows, from when on, and what it offered last: decided by the rule that all members share. */
export class Course {
  readonly #deps: CourseDeps;
  readonly #memory: Memory;
  #following: Following | undefined;
  #last: TimelineFacts['last'];
  /** Nothing up to this number is published again. */
  #publishedUpTo = -1;
  /** Since when it reads, or follows what it follows. */
  #since: MonoMs | undefined;
  #misplacedSince: MonoMs | undefined;

  constructor(deps: CourseDeps) {
    this.#deps = deps;
    this.#memory = createMemory(deps, deps.stream);
  }

  get following(): Following | undefined {
    return this.#following;
  }

  get last(): TimelineFacts['last'] {
    return this.#last;
  }

  /** Something is read; it is decided from now on. */
  begin(now: Now): void {
    this.#since ??= now.monoMs;
  }

  /** Follows nothing any more, until it is decided anew. */
  lose(): void {
    this.#following = undefined;
    this.#since = undefined;
    this.#misplacedSince = undefined;
    for (const rung of this.#deps.rungs()) rung.stop();
  }

  /** True when the run, or whether it is offered, is another one now. */
  decide(now: Now): boolean {
    if (this.#since === undefined) return false;
    const before = this.#following;
    this.#recall(now);
    if (this.#isMisplaced(now.monoMs)) {
      this.#deps.log.warn('place on the timeline was wrong', { stream: this.#deps.stream });
      this.lose();
      this.begin(now);
    }
    const waitedMs = now.monoMs - this.#since;
    const isLate = hasWaited(waitedMs, this.#deps.marks());
    const { awaited, known } = judgeMates(this.#deps.mates.reachable, this.#deps.rungs());
    const agreement = agreeOnRun(this.#facts(), known);
    if (agreement.kind === 'adopt') this.#adopt(agreement, now);
    else if (agreement.kind === 'found' && this.#mayFound(isLate))
      this.#found(agreement, waitedMs, now);
    const following = this.#following;
    if (following?.isOffered === false && mayOffer(this.#facts(), awaited, isLate))
      this.#offer(following);
    return this.#following !== before;
  }

  /** `numbers`: the newest that viewers get of each rung. */
  notePublished(numbers: readonly number[], now: Now): void {
    if (this.#following?.isOffered !== true || numbers.length === 0) return;
    const { run } = this.#following;
    const number = Math.max(...numbers);
    this.#last = { sequence: run.sequence, number };
    this.#publishedUpTo = number;
    this.#memory.keep(keyOf(run), () => this.#remembered(now), now);
  }

  /** The run of each rung, with the grids as they stand. */
  runsNow(): readonly TimelineRun[] | undefined {
    const rungs = this.#deps.rungs();
    const runs = rungs.flatMap((rung) => rung.runNow() ?? []);
    return this.#following !== undefined && runs.length === rungs.length ? runs : undefined;
  }

  #offer(following: Following): void {
    this.#following = { ...following, isOffered: true };
    for (const { window } of this.#deps.rungs()) window.offer();
  }

  /** What was offered before the agent restarted; more may have been since that was written, a segment a second at most. */
  #recall({ wallMs }: Now): void {
    const remembered = this.#last === undefined ? this.#memory.read() : undefined;
    if (remembered?.last === undefined) return;
    const { sequence, number } = remembered.last;
    this.#publishedUpTo = number;
    const missedS = Math.max(0, Math.ceil((wallMs - remembered.at) / 1_000));
    this.#last = { sequence, number: number + missedS };
  }

  #facts(): TimelineFacts {
    return { nodeId: this.#deps.nodeId, following: this.#following, last: this.#last };
  }

  /** A member that offers a run, or may do so, and is not compared yet, is waited for: it may be one that we can join. */
  #mayFound(isLate: boolean): boolean {
    const { reachable, isComplete } = this.#deps.mates;
    const isOpen = reachable.some(
      ({ proof, word }) =>
        proof.kind === 'unknown' && (word === undefined || word.following?.isOffered),
    );
    return (isComplete && !isOpen) || isLate;
  }

  #adopt({ run, offset }: Extract<Agreement, { kind: 'adopt' }>, now: Now): void {
    const runs = this.#deps.mates.runsOf(keyOf(run));
    if (runs !== undefined && areTogether(this.#rungsNow())) this.#follow(runs, offset, now);
  }

  #found({ previous }: Extract<Agreement, { kind: 'found' }>, waitedMs: number, now: Now): void {
    const lead = this.#deps.lead();
    if (lead?.newestAt === undefined) return;
    if (this.#following !== undefined) {
      this.#succeed(previous, lead, now);
      return;
    }
    if (this.#resume(now)) return;
    const isLate = waitedMs > rungsMsMax;
    const segmentMs = wishedSegmentMs([lead.packagedMs ?? 0, ...this.#deps.mates.packagedMs]);
    const founded = areTogether(this.#rungsNow())
      ? foundRuns(
          {
            nodeId: this.#deps.nodeId,
            segmentMs,
            previous,
            arrivedAt: lead.newestAt,
          },
          this.#deps.rungs().map((rung) => rung.facts()),
          { lead: lead.index, isLate },
        )
      : ({ kind: isLate ? 'refused' : 'waiting', why: 'empty' } as const);
    if (founded.kind === 'founded') this.#follow(founded.runs, founded.offset, now);
    // A rung that was there before may come back.
    else if (founded.kind === 'refused' && (founded.why !== 'empty' || this.#last === undefined))
      this.#deps.leaveAlone(leftBy[founded.why]);
  }

  /** The next run of a packager that goes on: another one is offered with our sequence. */
  #succeed(previous: Previous, { now: brought }: Rung, now: Now): void {
    const runs = this.runsNow();
    const following = this.#following;
    if (!(runs && following && previous && brought)) return;
    const { newestTicks, newestAt } = brought;
    const near = (newestAt * ticksPerSecond) / 1_000;
    const { offset } = following;
    const { nodeId } = this.#deps;
    const newest = unwrapTicks(newestTicks + offset, near);
    const facts = { nodeId, at: now.wallMs, newestTicks: newest, previous };
    this.#follow(succeedRuns(runs, facts), offset, now);
  }

  #rungsNow() {
    return this.#deps.rungs().flatMap((rung) => rung.now ?? []);
  }

  /** Goes on where it stood, if its packager does. */
  #resume(now: Now): boolean {
    const remembered = this.#memory.read();
    if (remembered === undefined || !resumes(remembered, this.#rungsNow())) return false;
    this.#follow(remembered.runs, remembered.offset, now);
    return true;
  }

  #follow(runs: readonly TimelineRun[], offset: number, now: Now): void {
    const [run] = runs;
    if (run === undefined) return;
    this.#following = { run, offset, isOffered: false };
    this.#misplacedSince = undefined;
    const firstNumber = this.#publishedUpTo + 1;
    for (const [index, rung] of this.#deps.rungs().entries()) {
      const own = runs[index];
      if (own !== undefined) rung.start(own, offset, firstNumber, now.monoMs);
    }
    const { sequence, foundedBy } = run;
    this.#deps.log.info('timeline followed', { stream: this.#deps.stream, sequence, foundedBy });
  }

  /**
   * Proved members have the same run and another place in it: one of two stands wrong. The one whose name comes later
   * gives way, unless another member agrees with it.
   */
  #isMisplaced(at: MonoMs): boolean {
    const following = this.#following;
    const same = following ? this.#deps.mates.following(keyOf(following.run)) : [];
    const mates = same.flatMap(({ id, ownOffset }) =>
      ownOffset === undefined ? [] : [{ id, ownOffset }],
    );
    const isApart = ({ ownOffset }: { ownOffset: number }) =>
      Math.abs(ownOffset - (following?.offset ?? 0)) > misplacedTicks;
    const isWrong =
      mates.length > 0 && mates.every(isApart) && mates.some(({ id }) => id < this.#deps.nodeId);
    this.#misplacedSince = isWrong ? (this.#misplacedSince ?? at) : undefined;
    return at - (this.#misplacedSince ?? at) >= misplacedMsMin;
  }

  #remembered({ wallMs: at }: Now): Remembered | undefined {
    const offset = this.#following?.offset;
    const runs = this.runsNow();
    return runs && offset !== undefined ? { runs, offset, last: this.#last, at } : undefined;
  }
}
