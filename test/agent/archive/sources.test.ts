import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AskRecordings } from '../../../src/agent/archive-ports.ts';
import type { ArchiveConfig } from '../../../src/core/archive/archive-config.ts';
import { createRecorderRig } from '../../support/recorder-rig.ts';
import { tempFolder } from '../../support/temp-folder.ts';

// Minutes of virtual time, each step with real sockets and files.
vi.setConfig({ testTimeout: 30_000 });

async function anArchive(
  archive: ArchiveConfig,
  options: { folder?: string; askRecordings?: AskRecordings } = {},
) {
  const rig = createRecorderRig(options.folder ?? tempFolder(), options);
  onTestFinished(() => rig.close());
  const origin = await rig.origin();
  rig.configure({ name: 'ch1', origin: origin.entry, archive });
  const steps = async (count: number) => {
    for (let step = 0; step < count; step += 1) {
      origin.advance();
      await rig.go(2_000);
    }
  };
  const ranges = (container: 'ts' | 'fmp4' = 'ts') =>
    rig.archive.coverages.ranges('ch1', container);
  const reasons = () => rig.archive.troubles.of('ch1').map(({ reason }) => reason);
  return { rig, origin, steps, ranges, reasons };
}

describe('what the live window showed', () => {
  it('is recorded from the first segment seen, as one range', async () => {
    const { rig, steps, ranges } = await anArchive({ window: { retention_h: 1 } });
    await steps(12);
    expect(ranges()).toHaveLength(1);
    const [range] = ranges();
    expect((range?.endMs ?? 0) - (range?.startMs ?? 0)).toBeGreaterThanOrEqual(20_000);
    expect(rig.clock.now().wallMs - (range?.endMs ?? 0)).toBeLessThanOrEqual(14_000);
  });

  it('has a hole where the origin was off', async () => {
    const { origin, rig, steps, ranges } = await anArchive({ window: { retention_h: 1 } });
    await steps(6);
    origin.knobs.playlistStatus = 500;
    await rig.go(30_000);
    origin.knobs.playlistStatus = undefined;
    origin.advance(15);
    await steps(8);
    expect(ranges()).toHaveLength(2);
  });

  it('is forgotten after the retention time, and with the archive', async () => {
    const { rig, steps, ranges, origin } = await anArchive({ window: { retention_h: 1 / 180 } });
    await steps(16);
    const all = ranges();
    await rig.archive.trim(rig.clock.now());
    expect(ranges()).toEqual(all);
    rig.clock.advance(600_000);
    await steps(16);
    await rig.archive.trim(rig.clock.now());
    expect(ranges()[0]?.startMs).toBe(rig.clock.now().wallMs - 20_000);
    rig.configure({ name: 'ch1', origin: origin.entry });
    await rig.go(1_000);
    expect(rig.archive.coverages.streams()).toEqual([]);
  });
});

describe('a sample that the media server does not have', () => {
  const url = 'flussonic';

  async function recorded(has: (fromS: number) => boolean) {
    const archive = await anArchive({ push: true, url, depth_h: 24 });
    const { rig, origin } = archive;
    await rig.go(1_000);
    const nowMs = rig.clock.now().wallMs;
    rig.archive.coverages.add('ch1', 'ts', [
      { startMs: nowMs - 8 * 3_600_000, endMs: nowMs - 600_000 },
    ]);
    const asked: number[] = [];
    for (let fromS = Math.floor(nowMs / 1_000) - 8 * 3_600; fromS <= nowMs / 1_000; fromS += 1)
      for (const duration of [30, 31])
        origin.route(`/live/ch1/archive-${fromS}-${duration}.m3u8`, (_, response) => {
          asked.push(fromS);
          const body = '#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n';
          if (has(fromS)) response.end(body);
          else response.writeHead(404).end();
        });
    return { ...archive, asked, nowMs };
  }

  it('is taken out of the coverage with all around it that is missing, once it was missing twice', async () => {
    let goneBeforeS = 0;
    const { rig, ranges, nowMs, asked } = await recorded((fromS) => fromS >= goneBeforeS);
    goneBeforeS = nowMs / 1_000 - 4 * 3_600;
    const before = ranges();
    await rig.go(60_000 * 8);
    expect(asked.length).toBeGreaterThan(16);
    const troubles = rig.log.lines.filter(({ event }) => event === 'recording troubled');
    expect(troubles.map(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ stream: 'ch1', reason: 'recording-lost' }),
    );
    const [first] = ranges();
    // To within a sixteenth of the range.
    expect(Math.abs((first?.startMs ?? 0) - goneBeforeS * 1_000)).toBeLessThan(1_800_000);
    expect(ranges().at(-1)?.endMs).toBe(before[0]?.endMs);
  });

  it('changes nothing as long as all are there', async () => {
    const { rig, ranges, reasons, asked } = await recorded(() => true);
    const before = ranges();
    await rig.go(60_000 * 5);
    expect(asked.length).toBeGreaterThanOrEqual(5);
    expect([ranges(), reasons()]).toEqual([before, []]);
  });

  it('changes nothing while the media server is off', async () => {
    const { rig, ranges, origin, reasons } = await recorded(() => true);
    const before = ranges();
    await origin.stop();
    await rig.go(60_000 * 4);
    expect([ranges(), reasons()]).toEqual([before, []]);
  });
});

describe('an archive in a folder', () => {
  it('is told, listed under the live rungs and read; what is removed is not told any more', async () => {
    const path = tempFolder();
    const directory = { path, times: 'names', pattern: '{unix}' } as const;
    const startS = 1_789_999_000;
    mkdirSync(join(path, 'old'));
    for (const offsetS of [0, 4, 8]) {
      const file = join(path, 'old', `${startS + offsetS}.ts`);
      writeFileSync(file, `segment ${offsetS}`);
      utimesSync(file, startS, startS);
    }
    const { rig, ranges } = await anArchive({ directory });
    await rig.go(2_000);
    const range = { startMs: startS * 1_000, endMs: (startS + 12) * 1_000 };
    expect(ranges()).toEqual([range]);
    expect(rig.archive.reader.reads('ch1')).toBe(true);
    expect(rig.archive.reader.rungs('ch1').map(({ rung }) => rung)).toEqual([
      'high/video.m3u8',
      'low/video.m3u8',
    ]);
    const segments = await rig.recorded('ch1', 'low/video.m3u8');
    expect(segments).toHaveLength(3);
    const [, second] = segments;
    expect(second && (await rig.contentOf('ch1', 'low/video.m3u8', second))).toBe('segment 4');
    rmSync(join(path, 'old', `${startS}.ts`));
    await rig.go(31_000);
    expect(ranges()).toEqual([{ ...range, startMs: range.startMs + 4_000 }]);
  });

  it('that cannot be read is a trouble, and what was known stays', async () => {
    const path = tempFolder();
    const { rig, ranges, reasons } = await anArchive({ directory: { path, times: 'file-times' } });
    await rig.go(1_000);
    rig.archive.coverages.add('ch1', 'ts', [{ startMs: 1_000, endMs: 9_000 }]);
    rmSync(path, { recursive: true });
    await rig.go(31_000);
    expect(reasons()).toEqual(['coverage-source-failed']);
    expect(ranges()).toEqual([{ startMs: 1_000, endMs: 9_000 }]);
    mkdirSync(path);
    await rig.go(31_000);
    expect([reasons(), ranges()]).toEqual([[], []]);
  });
});

describe('an archive that the media server tells of', () => {
  it('is what it says, within the depth, again and again', async () => {
    const api = { kind: 'flussonic', url: 'http://127.0.0.1:9/ch1' } as const;
    let answers = 0;
    const asked: Parameters<AskRecordings>[] = [];
    const { rig, ranges } = await anArchive(
      { api, depth_h: 1 },
      {
        askRecordings: async (...question) => {
          asked.push(question);
          answers += 1;
          const { startMs } = question[1];
          const range = { startMs: startMs - 5_000, endMs: startMs + answers * 60_000 };
          return { kind: 'recorded', containers: ['ts', 'fmp4'], ranges: [range] };
        },
      },
    );
    await rig.go(1_000);
    const [first] = asked;
    expect(first?.[0]).toEqual(api);
    expect((first?.[1].endMs ?? 0) - (first?.[1].startMs ?? 0)).toBe(3_600_000);
    const startMs = first?.[1].startMs ?? 0;
    expect(ranges()).toEqual([{ startMs, endMs: startMs + 60_000 }]);
    expect(ranges('fmp4')).toEqual(ranges());
    await rig.go(29_000);
    expect(answers).toBe(1);
    await rig.go(2_000);
    expect(answers).toBe(2);
    expect(ranges()[0]?.endMs).toBe((asked[1]?.[1].startMs ?? 0) + 120_000);
  });

  it('is asked for under the name of the stream where its address names none', async () => {
    const asked: string[] = [];
    const { rig } = await anArchive(
      { api: { kind: 'flussonic', url: 'http://user:password@127.0.0.1:9' } },
      {
        askRecordings: async ({ url }) => {
          asked.push(url);
          return { kind: 'recorded', containers: ['ts'], ranges: [] };
        },
      },
    );
    await rig.go(1_000);
    expect(asked).toEqual(['http://user:password@127.0.0.1:9/ch1']);
  });

  it('stays what it was while the media server does not answer', async () => {
    const api = { kind: 'nimble', url: 'http://127.0.0.1:9/ch1' } as const;
    let isSilent = false;
    const { rig, ranges, reasons } = await anArchive(
      { api },
      {
        askRecordings: async (_, { endMs }) =>
          isSilent
            ? { kind: 'fault', cause: 'status 500' }
            : {
                kind: 'recorded',
                containers: ['ts'],
                ranges: [{ startMs: endMs - 60_000, endMs }],
              },
      },
    );
    await rig.go(1_000);
    const before = ranges();
    isSilent = true;
    await rig.go(31_000);
    expect([ranges(), reasons()]).toEqual([before, ['coverage-source-failed']]);
    isSilent = false;
    await rig.go(31_000);
    expect(reasons()).toEqual([]);
    expect(before).toHaveLength(1);
  });
});
