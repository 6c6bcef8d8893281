import type {
  CanonicalWindow,
  PublishedSegment,
} from '../../src/agent/timeline/canonical-window.ts';
import type { StreamTimeline } from '../../src/agent/timeline/stream-timeline.ts';

/** Looks at what members offer to viewers, at every moment, and keeps what no viewer may see. */
export type TimelineWatch = {
  /** What was wrong, in words; stays empty where all is well. */
  readonly faults: readonly string[];
  /** `same`: members that it takes for its clones now. */
  look(member: string, timeline: StreamTimeline, same: readonly WatchedMember[]): void;
  /** How many different segments of a rung were offered, by all members together. */
  readonly offered: ReadonlyMap<string, Offered>;
};

/** A segment as it was first offered. */
type Offered = {
  readonly checksum: string;
  readonly sequence: number;
  /** Members that have offered it. */
  readonly by: Set<string>;
};

type WatchedMember = { readonly id: string; readonly timeline: StreamTimeline };

type Seen = { first: number; newest: number; head: number; listed: readonly PublishedSegment[] };

const faultsMax = 1_000;

export function createTimelineWatch(): TimelineWatch {
  const faults: string[] = [];
  const offered = new Map<string, Offered & { readonly text: string }>();
  const seen = new Map<string, Seen>();
  const note = (text: string) => {
    if (faults.length < faultsMax) faults.push(text);
  };

  function lookAt(member: string, rung: number, listed: readonly PublishedSegment[]): void {
    const [first] = listed;
    const newest = listed.at(-1);
    const key = `${member}/${rung}`;
    const before = seen.get(key);
    if (first === undefined || newest === undefined || before?.listed === listed) return;
    const now: Seen = {
      ...{ first: first.number, newest: newest.number, head: first.run.sequence, listed },
    };
    seen.set(key, now);
    for (const field of ['first', 'newest', 'head'] as const)
      if (now[field] < (before?.[field] ?? 0))
        note(`${key}: ${field} fell from ${before?.[field]} to ${now[field]}`);
    for (const [at, segment] of listed.entries())
      if (segment.number > (before?.newest ?? -1)) compare(member, rung, segment, listed[at - 1]);
  }

  function compare(
    member: string,
    rung: number,
    segment: PublishedSegment,
    previous: PublishedSegment | undefined,
  ): void {
    const { checksum, startTicks, durationTicks, run } = segment;
    const { sequence } = run;
    // Members that did not hear each other may have given a number to two runs.
    const key = `${rung}/${sequence}/${segment.number}`;
    const text = textOf(segment);
    const known = offered.get(key);
    if (known === undefined) offered.set(key, { checksum, sequence, text, by: new Set([member]) });
    else if (known.text !== text)
      note(`${key}: ${member} has ${text}, ${[...known.by].join()} ${known.text}`);
    known?.by.add(member);
    if (durationTicks <= 0) note(`${key}: lasts ${durationTicks} at ${member}`);
    if (previous === undefined) return;
    if (segment.number !== previous.number + 1) note(`${key}: a hole before it at ${member}`);
    const end = previous.startTicks + previous.durationTicks;
    if (previous.run.sequence === sequence && end !== startTicks)
      note(`${key}: begins ${startTicks - end} ticks behind the one before at ${member}`);
  }

  function compareLists(where: string, own: CanonicalWindow, other?: CanonicalWindow): void {
    const texts = new Map(other?.listed.map((segment) => [segment.number, textOf(segment)]));
    for (const segment of own.listed) {
      const text = texts.get(segment.number) ?? textOf(segment);
      if (text !== textOf(segment))
        note(`${where}: ${segment.number} is ${textOf(segment)} and ${text}`);
    }
  }

  return {
    ...{ faults, offered },
    look(member, timeline, same) {
      if (!timeline.isOffered) return;
      for (let rung = 0; ; rung += 1) {
        const window = timeline.window(rung);
        if (window === undefined) return;
        lookAt(member, rung, window.listed);
        for (const other of same)
          compareLists(`${rung} of ${member} and ${other.id}`, window, other.timeline.window(rung));
      }
    },
  };
}

function textOf({ checksum, startTicks, durationTicks, run }: PublishedSegment): string {
  return `${checksum.slice(0, 6)} at ${startTicks} for ${durationTicks} in ${run.sequence}`;
}
