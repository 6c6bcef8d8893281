import { rangesWithin } from '../../core/archive/archive-facts.ts';
import { airReasons } from '../../core/archive/archive-members.ts';
import { gapsOf, intersectRanges, type TimeRange } from '../../core/archive/ranges.ts';
import { segmentEndings } from '../../core/archive/segment-index.ts';
import type { ArchivedSegment } from '../../core/archive/segment-list.ts';
import type { Candidate } from '../../core/placement/candidates.ts';
import type { Container } from '../../core/stream/stream.ts';
import type { MonoMs, Now } from '../../core/time.ts';
import type { ArchiveBlock, ArchivedRung, DvrStream } from '../archive-ports.ts';
import type { Log } from '../ports.ts';
import type { ViewingDeps } from '../viewing-parts.ts';
import { type ArchiveDeps, rungAt } from './archive-deps.ts';
import { askSegments, type PeerListDeps, recordedFolder } from './peer-lists.ts';

/** One step fills so much, ms; with one step each 20 s the whole node takes three times the rate of one stream. */
const stepMs = 60_000;
/** Holes that are younger may still be filled by this node's own recorder, ms. */
const settledMs = 120_000;
/** A hole that could not be filled is left alone for so long, ms. */
const retryMs = 600_000;
/** Holes that are remembered as such; the oldest are forgotten. */
const failedMax = 1_000;

type Hole = { readonly stream: string; readonly container: Container; readonly range: TimeRange };

/**
 * Fills holes of this node's own recordings (`archive.refill`) from members that record the same segments: the newest
 * first, a minute at a time, all rungs of it or none. Nothing waits for it.
 */
export class Refill {
  readonly #deps: RefillDeps;
  readonly #failed = new Map<string, MonoMs>();
  #turn = 0;

  constructor(deps: RefillDeps) {
    this.#deps = deps;
  }

  /** Fills a minute of one stream's newest hole that somebody can fill; each time another stream's. */
  async tick(now: Now): Promise<void> {
    const streams = this.#deps.streams();
    for (let tried = 0; tried < streams.length; tried += 1) {
      this.#turn = (this.#turn + 1) % streams.length;
      const found = this.#find(streams[this.#turn] ?? '', now);
      if (found === undefined) continue;
      await this.#fill(found.hole, found.member, now);
      return;
    }
  }

  #find(stream: string, now: Now): { hole: Hole; member: Candidate } | undefined {
    const { archive, viewing } = this.#deps;
    const members = viewing.outlook.candidates(stream, now).list.filter(canFill);
    if (members.length === 0 || this.#deps.recordings(stream) === undefined) return undefined;
    const holes = archive.coverages
      .of(stream)
      .flatMap(({ container, ranges }) =>
        gapsOf(ranges).map((range): Hole => ({ stream, container, range })),
      )
      .filter(({ range }) => range.endMs <= now.wallMs - settledMs)
      .toReversed();
    for (const hole of holes)
      for (const member of members) {
        const part = partAt(member, hole);
        if (part !== undefined && !this.#hasFailed(part, member, now))
          return { hole: part, member };
      }
    return undefined;
  }

  async #fill(hole: Hole, member: Candidate, now: Now): Promise<void> {
    const { archive, recordings, log } = this.#deps;
    const { stream, container, range } = hole;
    const dvr = recordings(stream);
    const rungs = archive.reader.rungs(stream).filter((rung) => rung.container === container);
    let filled: readonly TimeRange[] = rungs.length === 0 ? [] : [range];
    for (const rung of rungs) {
      const kept = dvr && (await this.#fillRung(dvr, rung, { hole, member, now }));
      filled = intersectRanges(filled, kept ?? []);
      if (filled.length === 0) return this.#fail(hole, member, now);
    }
    // It is not recorded here any more, or somewhere else.
    if (recordings(stream) !== dvr) return;
    archive.coverages.add(stream, container, filled);
    // What is left of it cannot be had there.
    this.#fail(hole, member, now);
    log.info('recording refilled', { stream, from: member.node.id, ...range });
  }

  /** What of the hole is kept after that; undefined when something could not be read or written. */
  async #fillRung(
    dvr: DvrStream,
    rung: ArchivedRung,
    { hole, member, now }: { hole: Hole; member: Candidate; now: Now },
  ): Promise<readonly TimeRange[] | undefined> {
    const { archive, viewing } = this.#deps;
    const base = member.places.places[0]?.base;
    const path = rungAt(viewing, archive, {
      name: hole.stream,
      rung: rung.rung,
      candidate: member,
    });
    if (base === undefined || path === undefined) return undefined;
    const of = { member, base, rung: path };
    const { peerSegments } = archive;
    const blocks = await askSegments({ ...viewing, peerSegments }, of, hole.range, now);
    if (blocks === undefined || !(await this.#goesOn(rung, hole.range, blocks))) return undefined;
    const folder = recordedFolder(of);
    const kept: TimeRange[] = [];
    for (const segment of blocks.flat().filter((one) => isMostlyIn(one, hole.range))) {
      if (!(await this.#keep(dvr, rung, segment, { base, folder }))) return undefined;
      kept.push({ startMs: segment.startMs, endMs: segment.startMs + segment.durationMs });
    }
    return intersectRanges(kept, [hole.range]);
  }

  /**
   * Whether a member's segments are of a recording that is here, too, beside the hole. Others' times may be a segment off:
   * in a playlist of many pieces they overlap, in the hole something would be missing at both ends.
   */
  async #goesOn(
    rung: ArchivedRung,
    { startMs, endMs }: TimeRange,
    blocks: readonly ArchiveBlock[],
  ) {
    const around = { startMs: startMs - stepMs, endMs: endMs + stepMs };
    const own = (await this.#deps.archive.reader.list(rung, around)).flat();
    const runs = new Set(own.map(({ run }) => run));
    return blocks.some((block) => block.some(({ run }) => runs.has(run)));
  }

  async #keep(
    dvr: DvrStream,
    rung: ArchivedRung,
    segment: ArchivedSegment,
    { base, folder }: { base: string; folder: string },
  ): Promise<boolean> {
    const { peerSegments } = this.#deps.archive;
    const ending = segmentEndings.find((known) => segment.name.endsWith(`.${known}`));
    const content = await peerSegments.segment(base, folder + segment.name);
    const { map, startMs, durationMs, number, run } = segment;
    const init = map === undefined ? undefined : await peerSegments.segment(base, folder + map);
    if (ending === undefined || content === undefined || (map !== undefined && !init)) return false;
    const fault = await dvr.keep(rung, {
      ...{ ending, startMs, durationMs, number, run, content },
      init,
    });
    return fault === undefined;
  }

  #hasFailed(hole: Hole, member: Candidate, now: Now): boolean {
    const failedAt = this.#failed.get(keyOf(hole, member));
    return failedAt !== undefined && now.monoMs - failedAt < retryMs;
  }

  #fail(hole: Hole, member: Candidate, now: Now): void {
    this.#failed.set(keyOf(hole, member), now.monoMs);
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > failedMax && oldest !== undefined) this.#failed.delete(oldest);
  }
}

export type RefillDeps = {
  /** Those that want it, by name. */
  readonly streams: () => readonly string[];
  /** This node's own recordings of a stream. */
  readonly recordings: (stream: string) => DvrStream | undefined;
  readonly archive: Pick<ArchiveDeps, 'coverages' | 'reader' | 'peerSegments'>;
  readonly viewing: Pick<ViewingDeps, 'live' | 'outlook'> & Omit<PeerListDeps, 'peerSegments'>;
  readonly log: Log;
};

/** The beginning of what a member has of a hole. */
function partAt({ stream }: Candidate, hole: Hole): Hole | undefined {
  const [part] = rangesWithin(stream.archive?.[hole.container], hole.range);
  if (part === undefined) return undefined;
  const endMs = Math.min(part.endMs, part.startMs + stepMs);
  return { ...hole, range: { startMs: part.startMs, endMs } };
}

/** Whether its pictures are ours, whatever it does live. */
function canFill({ backup, stream, isReachable }: Candidate): boolean {
  const reasons = backup?.eligible === false ? backup.reasons : [];
  const isAlike = backup !== undefined && reasons.every((reason) => airReasons.has(reason));
  return isAlike && isReachable && stream.archive?.lists === true;
}

function isMostlyIn({ startMs, durationMs }: ArchivedSegment, range: TimeRange): boolean {
  const inside = Math.min(startMs + durationMs, range.endMs) - Math.max(startMs, range.startMs);
  return inside > durationMs / 2;
}

function keyOf({ stream, container, range }: Hole, member: Candidate): string {
  return `${stream} ${container} ${range.startMs} ${member.node.id}`;
}
