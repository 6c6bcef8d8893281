import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tagsOf } from '../../../src/core/timeline/origin-tags.ts';
import { createTagPlacer } from '../../../src/core/timeline/placed-tags.ts';

const second = 90_000;
const originMs = Date.UTC(2026, 0, 15, 10);
/** The group's time of the origin's 10:00:00: an hour and 7 ms later. */
const originTicks = (originMs + 3_600_007) * 90;

function added(placer: ReturnType<typeof createTagPlacer>, startS: number, lines: string[]) {
  placer.add({
    lines,
    startTicks: originTicks + startS * second,
    programDateTimeMs: originMs + startS * 1000,
    durationMs: 4000,
  });
}

function taken(placer: ReturnType<typeof createTagPlacer>, fromS: number, toS: number) {
  return placer.take(originTicks + fromS * second, originTicks + toS * second);
}

/** A placer that has given a segment already. */
function aPlacer() {
  const placer = createTagPlacer();
  taken(placer, -2, 0);
  return placer;
}

const range = (time: string, more = '') =>
  `#EXT-X-DATERANGE:ID="a",START-DATE="2026-01-15T10:00:${time}Z"${more}`;
const movedRange = (time: string, more = '') =>
  `#EXT-X-DATERANGE:ID="a",START-DATE="2026-01-15T11:00:${time}Z"${more}`;

describe('lines of origin segments', () => {
  it('come before the canonical segment in which their frame lies, in order, once', () => {
    const placer = aPlacer();
    added(placer, 0, ['#EXT-X-CUE-OUT:8', '#EXT-X-A']);
    added(placer, 4, ['#EXT-X-CUE-OUT-CONT:4/8']);
    added(placer, 0, ['#EXT-X-CUE-OUT:8', '#EXT-X-A']);
    added(placer, 4, ['#EXT-X-CUE-OUT-CONT:4/8']);
    added(placer, 8, ['#EXT-X-CUE-IN']);
    expect(taken(placer, 0, 2)).toEqual(['#EXT-X-CUE-OUT:8', '#EXT-X-A']);
    expect(taken(placer, 2, 4)).toEqual([]);
    expect(taken(placer, 4, 10)).toEqual(['#EXT-X-CUE-OUT-CONT:4/8', '#EXT-X-CUE-IN']);
    expect(taken(placer, 10, 12)).toEqual([]);
  });

  it.each([
    [-451, 0],
    [-450, 1],
    [0, 1],
    [1, 1],
  ])('%i ticks from where segment 1 begins belong to segment %i', (ticks, segment) => {
    const placer = aPlacer();
    const startTicks = originTicks + 2 * second + ticks;
    placer.add({ lines: ['#EXT-X-CUE-IN'], startTicks, durationMs: 2000 });
    const given = [taken(placer, 0, 2), taken(placer, 2, 4)];
    expect(given[segment]).toEqual(['#EXT-X-CUE-IN']);
    expect(given.flat()).toHaveLength(1);
  });

  it('that come too late are given with the next segment, before its own', () => {
    const placer = aPlacer();
    expect(taken(placer, 0, 4)).toEqual([]);
    added(placer, 2, ['#EXT-X-LATE']);
    added(placer, 4, ['#EXT-X-OWN']);
    expect(taken(placer, 4, 6)).toEqual(['#EXT-X-LATE', '#EXT-X-OWN']);
  });

  it('before the first segment that a member gives are left out, but for dateranges not over', () => {
    const placer = createTagPlacer();
    const over = '#EXT-X-DATERANGE:ID="o",START-DATE="2026-01-15T10:00:00Z",DURATION=4';
    const running = '#EXT-X-DATERANGE:ID="r",START-DATE="2026-01-15T10:00:00Z",DURATION=4.1';
    added(placer, 0, ['#EXT-X-CUE-OUT:8', over, running, '#EXT-X-DATERANGE:ID="open"']);
    added(placer, 4, ['#EXT-X-CUE-OUT-CONT:4/8']);
    expect(taken(placer, 4, 6)).toEqual([
      '#EXT-X-DATERANGE:ID="r",START-DATE="2026-01-15T11:00:00.007Z",DURATION=4.1',
      '#EXT-X-DATERANGE:ID="open"',
      '#EXT-X-CUE-OUT-CONT:4/8',
    ]);
  });

  it('that nobody takes are given up, the oldest first', () => {
    const placer = aPlacer();
    for (let i = 0; i < 2001; i += 1) added(placer, i, [`#EXT-X-N:${i}`]);
    const given = taken(placer, 0, 3000);
    expect(given).toHaveLength(2000);
    expect(given[0]).toBe('#EXT-X-N:1');
  });
});

describe('a daterange', () => {
  it('moves into the time of the group and lies at the frame that its start dates', () => {
    const placer = aPlacer();
    added(placer, 0, [range('02.000000', ',END-DATE="2026-01-15T13:00:03.5+03:00"')]);
    expect(taken(placer, 0, 2)).toEqual([]);
    expect(taken(placer, 2, 4)).toEqual([
      movedRange('02.007', ',END-DATE="2026-01-15T11:00:03.507Z"'),
    ]);
  });

  it('stays byte for byte where the origin dates nothing, or dates as the group does', () => {
    const line = range('01.000000', ', X-A = "é"');
    const undated = aPlacer();
    undated.add({ lines: [line], startTicks: originTicks, durationMs: 4000 });
    expect(taken(undated, 0, 2)).toEqual([line]);
    const equal = createTagPlacer();
    const startTicks = originMs * 90;
    equal.add({ lines: [line], startTicks, programDateTimeMs: originMs, durationMs: 4000 });
    expect(equal.take(startTicks, startTicks + 2 * second)).toEqual([line]);
  });

  it('comes again with new attributes only, with the start it had', () => {
    const placer = aPlacer();
    const end = range('02.001', ',DURATION=4');
    added(placer, 0, [range('02.001')]);
    expect(taken(placer, 0, 2)).toEqual([]);
    expect(taken(placer, 2, 4)).toEqual([movedRange('02.007')]);
    added(placer, 0, [range('02.001'), end]);
    added(placer, 0, [range('02.001'), end]);
    added(placer, 4, ['#EXT-X-CUE-IN']);
    expect(taken(placer, 4, 6)).toEqual([movedRange('02.007', ',DURATION=4'), '#EXT-X-CUE-IN']);
  });

  it('announced ahead comes where it was announced', () => {
    const placer = aPlacer();
    added(placer, 0, [range('30.000')]);
    expect(taken(placer, 0, 2)).toEqual([movedRange('30.007')]);
  });
});

describe('two members of one source', () => {
  /** A packager's playlist: cues at even seconds, its own segment length, clock and first segment. */
  function playlistOf(
    cues: ReadonlyMap<number, readonly string[]>,
    member: { lengthS: number; clockMs: number; seconds: number },
  ): Uint8Array {
    const dateOf = (s: number) => new Date(originMs + member.clockMs + s * 1000).toISOString();
    const lines = ['#EXTM3U', '#EXT-X-TARGETDURATION:4'];
    for (let s = 0; s < member.seconds; s += member.lengthS) {
      for (const cue of cues.get(s) ?? []) {
        const start = `START-DATE="${dateOf(s)}",END-DATE="${dateOf(s + 30)}"`;
        lines.push(cue.startsWith('#EXT-X-DATERANGE') ? `${cue},${start}` : cue);
      }
      lines.push(`#EXT-X-PROGRAM-DATE-TIME:${dateOf(s)}`, `#EXTINF:${member.lengthS},`, 's.ts');
    }
    return new TextEncoder().encode(`${lines.join('\n')}\n`);
  }

  function givenBy(
    cues: ReadonlyMap<number, readonly string[]>,
    member: { lengthS: number; clockMs: number; jitter: number; seconds: number },
  ): readonly (readonly string[])[] {
    const placer = aPlacer();
    const given: (readonly string[])[] = [];
    let cutS = 0;
    for (const [index, tags] of tagsOf(playlistOf(cues, member)).entries()) {
      const startTicks = originTicks + index * member.lengthS * second + member.jitter;
      placer.add({ ...tags, startTicks });
      placer.add({ ...tags, startTicks });
      for (; cutS + 2 <= index * member.lengthS; cutS += 2)
        given.push(taken(placer, cutS, cutS + 2));
    }
    return given;
  }

  const names = ['#EXT-X-CUE-OUT:30', '#EXT-X-CUE-IN', '#EXT-X-ASSET:CAID=1', '#EXT-X-A'];
  const line = fc.oneof(
    fc.constantFrom(...names),
    fc.integer({ min: 0, max: 99 }).map((id) => `#EXT-X-DATERANGE:ID="${id}"`),
  );
  const cuesOfMembers = fc.dictionary(
    fc.integer({ min: 0, max: 9 }).map(String),
    fc.uniqueArray(line, { maxLength: 4 }),
  );
  const aMember = fc.record({
    clockMs: fc.integer({ min: -5000, max: 5000 }),
    jitter: fc.integer({ min: -90, max: 90 }),
  });

  it('give equal lines before equal segments, one with segments of 2 s and one of 4 s', () => {
    const property = fc.property(cuesOfMembers, aMember, aMember, (cueLines, a, b) => {
      // Both cut at a cue: frames where both begin a segment.
      const cues = new Map(Object.entries(cueLines).map(([s, lines]) => [Number(s) * 4, lines]));
      const short = givenBy(cues, { ...a, lengthS: 2, seconds: 42 });
      const long = givenBy(cues, { ...b, lengthS: 4, seconds: 44 });
      const dated = (lines: readonly (readonly string[])[]) =>
        lines.map((each) => each.map((text) => text.replace(/,END-DATE.*/, '')));
      expect(dated(short).slice(0, 18)).toEqual(dated(long).slice(0, 18));
    });
    fc.assert(property, { numRuns: 60 });
  });
});
