import type { MonoMs } from '../../core/time.ts';
import { lossOf, type SegmentCheck } from '../../core/timeline/compare.ts';
import type { Mate } from './mate.ts';

/** A published segment is compared for so long with what others cut later, ms: longer than anybody waits for them. */
const watchedMsMax = 2_000;
/** After a loss the next one is expected for so long, ms. */
const lossyMs = 60_000;

/**
 * Whether the packager of this member loses what others have. Nothing in its own output says so: it shows where another
 * member cuts more of the same segment, before or after this one has published it (ADR 11).
 */
export class OwnLoss {
  #watched: readonly { readonly check: SegmentCheck; readonly at: MonoMs }[] = [];
  #lostAt: MonoMs = Number.NEGATIVE_INFINITY;

  isLikely(at: MonoMs): boolean {
    return at - this.#lostAt <= lossyMs;
  }

  /** Takes in what another member cut of a segment of ours. */
  compare(ours: SegmentCheck, theirs: SegmentCheck, at: MonoMs): void {
    if (ours.checksum !== theirs.checksum && lossOf(ours, theirs) > 0) this.#lostAt = at;
  }

  /** Our bytes were published: who is later than we may still show that they lack something. */
  watch(check: SegmentCheck, at: MonoMs): void {
    this.#watched = [...this.#watched, { check, at }];
  }

  /** Compares what is watched with what members say now. */
  review(mates: readonly Mate[], at: MonoMs): void {
    if (this.#watched.length === 0) return;
    this.#watched = this.#watched.filter((one) => at - one.at <= watchedMsMax);
    for (const { check } of this.#watched)
      for (const mate of mates) {
        const theirs = mate.check(check.run, check.rung, check.number);
        if (theirs !== undefined) this.compare(check, theirs, at);
      }
  }
}
