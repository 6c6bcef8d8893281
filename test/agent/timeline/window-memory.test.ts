import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checksum } from '../../../src/adapters/system/checksum.ts';
import {
  CanonicalWindow,
  type PublishedSegment,
} from '../../../src/agent/timeline/canonical-window.ts';
import { Timelines } from '../../../src/agent/timeline/timelines.ts';
import { WindowMemory } from '../../../src/agent/timeline/window-memory.ts';
import { ticksPerSecond } from '../../../src/core/media/units.ts';
import { createFakeLog } from '../../support/fake-log.ts';
import { memoryTimelineStore } from '../../support/memory-timeline-store.ts';
import { createTimelineRig } from '../../support/timeline-rig.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const segmentBytes = 100;
const segmentTicks = 2 * ticksPerSecond;

const run = {
  ...{ sequence: 1, foundedAt: 1, foundedBy: 'node-a', firstNumber: 1, originTicks: 0 },
  ...{ segmentTicks, targetDurationS: 2, soundGrids: [] },
  layout: { video: 'h264' as const, audio: [], others: [] },
};

function aSegment(number: number): PublishedSegment {
  return {
    ...{ number, startTicks: number * segmentTicks, durationTicks: segmentTicks, contentBytes: 1 },
    ...{ isIndependent: true, endsAtKey: true, isGap: false, tags: [], publishedAt: number },
    ...{ run, checksum: `${number}`, bytes: new Uint8Array(segmentBytes) },
  };
}

function filled(memory: WindowMemory, count: number): CanonicalWindow {
  const window = new CanonicalWindow('', memory);
  window.offer();
  for (let number = 1; number <= count; number += 1) window.add(aSegment(number));
  return window;
}

describe('canonical windows', () => {
  it('are of twenty seconds, kept as long again, while there is memory', () => {
    const memory = new WindowMemory();
    const window = filled(memory, 40);
    expect(window.listed.length).toBe(10);
    expect(memory.bytes).toBe(20 * segmentBytes);
  });

  it.each([
    ['just at', 20, 10],
    ['just above', 21, 6],
  ])(
    'of %s three quarters of what they may take are of %i segments, %i of them listed',
    (_, kept, listed) => {
      const memory = new WindowMemory((20 / 0.75) * segmentBytes);
      const other = new CanonicalWindow('', memory);
      other.offer();
      const window = filled(memory, 40);
      for (let more = 20; more < kept; more += 1) other.add(aSegment(more));
      window.add(aSegment(41));
      expect(window.listed.length).toBe(listed);
    },
  );

  it('are as long as before below four tenths of it, not sooner', () => {
    const memory = new WindowMemory(50 * segmentBytes);
    const other = filled(memory, 18);
    const window = filled(memory, 60);
    expect(window.listed.length).toBe(6);
    expect(memory.bytes).toBe(30 * segmentBytes);
    window.add(aSegment(61));
    expect(memory.isTight).toBe(true);
    other.drop();
    for (let number = 62; number < 80; number += 1) window.add(aSegment(number));
    expect(window.listed.length).toBe(10);
  });

  it('list nothing that is not to be had, and are counted to the byte, whatever is added, held and dropped', () => {
    const step = fc.constantFrom('add', 'add', 'add', 'add', 'hold', 'offer', 'drop');
    const steps = fc.array(fc.tuple(fc.nat(2), step), { maxLength: 200 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 60 }), (given, most) => {
        const memory = new WindowMemory(most * segmentBytes);
        const windows = [0, 1, 2].map(() => new CanonicalWindow('', memory));
        let number = 0;
        for (const [at, does] of given) {
          number += 1;
          if (does === 'add') windows[at]?.add(aSegment(number));
          else windows[at]?.[does]();
          for (const window of windows)
            for (const listed of window.listed) expect(window.get(listed.number)).toBe(listed);
          const bytes = windows.reduce((sum, window) => sum + window.bytes, 0);
          expect(memory.bytes).toBe(bytes);
        }
      }),
    );
  });
});

describe('a node whose windows take more than they may', { timeout: 60_000 }, () => {
  function timelinesOf(names: readonly string[], windowBytesMax: number) {
    const clock = createVirtualClock();
    const log = createFakeLog();
    const silence = { kind: 'fault', cause: 'unanswered', text: 'nobody' } as const;
    const timelines = new Timelines({
      ...{ clock, log, checksum, windowBytesMax, nodeId: 'node-a', boot: 'one', peers: () => [] },
      link: { compare: async () => silence, segment: async () => silence },
      store: memoryTimelineStore(),
    });
    const all = names.map((name) => {
      const isFeed = name.startsWith('feed');
      const timeline = timelines.open({ name, group: name, declared: false, isFeed });
      timeline.setRungs(1);
      timeline.window(0)?.offer();
      for (let number = 1; number <= 12; number += 1) timeline.window(0)?.add(aSegment(number));
      return timeline;
    });
    const left = () => {
      timelines.tick(clock.now());
      return all.flatMap(({ leftAlone, stream }) =>
        leftAlone ? [`${stream.name} ${leftAlone}`] : [],
      );
    };
    return { all, left, log: log.lines };
  }

  it.each([
    ['just at', 36, []],
    ['just above', 35.9, ['ch9 window-memory']],
    ['far above', 12, ['ch1 window-memory', 'ch9 window-memory']],
    ['above for its last', 11.9, ['feed window-memory', 'ch1 window-memory', 'ch9 window-memory']],
  ])('%s the limit leaves the last streams, and feeds after all others', (_, most, expected) => {
    const { all, left, log } = timelinesOf(['feed', 'ch1', 'ch9'], most * segmentBytes);
    expect(left()).toEqual(expected);
    expect(all.map(({ windowBytes }) => windowBytes > 0)).toEqual(
      all.map(({ leftAlone }) => leftAlone === undefined),
    );
    expect(log.filter(({ event }) => event === 'windows kept short').length).toBe(1);
  });

  it('drops first what was left alone before', () => {
    const { all, left } = timelinesOf(['ch1', 'ch2', 'ch9'], 24 * segmentBytes);
    all[0]?.leaveAlone('low-latency');
    expect(left()).toEqual(['ch1 low-latency']);
    expect(all.map(({ windowBytes }) => windowBytes)).toEqual([0, 1_200, 1_200]);
  });

  it('keeps its windows short, and is a clone of the others all the same', async () => {
    const base = 3_000_000_000;
    const ample = createTimelineRig([{}, { packagers: [{ base }] }]);
    for (const member of ample.members) member.start();
    await ample.run(90_000);
    const usual = ample.member(1).timeline.windowBytes;
    const rig = createTimelineRig([{}, { packagers: [{ base }], windowBytesMax: usual * 1.1 }]);
    for (const member of rig.members) member.start();
    await rig.run(90_000);
    expect(rig.watch.faults).toEqual([]);
    expect(rig.member(0).numbers().length).toBe(10);
    expect(rig.member(1).numbers()).toEqual(rig.member(0).numbers().slice(-6));
    expect(rig.member(1).timeline.windowBytes).toBeLessThan(usual * 0.7);
    for (const own of [0, 1]) {
      const verdict = rig.member(own).verdict(rig.member(1 - own).id);
      expect(verdict).toMatchObject({ proof: { kind: 'proved' }, isSameRun: true });
    }
  });
});
