import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createOpenDvr } from '../../../src/adapters/dvr/open-dvr.ts';
import type { OpenDvr } from '../../../src/agent/archive-ports.ts';
import type { FakeOriginOptions } from '../../support/fake-origin-server.ts';
import { createRecorderRig } from '../../support/recorder-rig.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { tempFolder } from '../../support/temp-folder.ts';

// Minutes of virtual time, each step with real sockets and files.
vi.setConfig({ testTimeout: 30_000 });

const record = { record: { depth_h: 1 } };

/** A rig that records `ch1`; its origin publishes a segment of 2 s with each step. */
async function aRecording(
  options: { origin?: FakeOriginOptions; archive?: object; openDvr?: OpenDvr } = {},
) {
  const folder = tempFolder();
  const rig = createRecorderRig(
    folder,
    options.openDvr === undefined ? {} : { openDvr: options.openDvr },
  );
  onTestFinished(() => rig.close());
  const origin = await rig.origin(options.origin);
  rig.configure({ name: 'ch1', origin: origin.entry, archive: { ...record, ...options.archive } });
  await rig.go(1_500);
  return { rig, origin, folder };
}

type Recording = Awaited<ReturnType<typeof aRecording>>;

async function steps({ rig, origin }: Pick<Recording, 'rig' | 'origin'>, count: number) {
  for (let step = 0; step < count; step += 1) {
    origin.advance();
    await rig.go(2_000);
  }
}

const numbersOf = async ({ rig }: Recording, rung = 'high/video.m3u8', container?: 'fmp4') =>
  (await rig.recorded('ch1', rung, container)).map(({ number }) => number);

const reasons = ({ rig }: Recording) => rig.archive.troubles.of('ch1').map(({ reason }) => reason);

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

describe('the recorder', () => {
  it('records every rung from the window on, byte for byte, without asking the origin twice', async () => {
    const recording = await aRecording();
    await steps(recording, 5);
    const { rig, origin } = recording;
    for (const rung of ['high/video.m3u8', 'low/video.m3u8'])
      expect(await numbersOf(recording, rung)).toEqual(range(6, 15));
    for (const segment of await rig.recorded('ch1', 'high/video.m3u8')) {
      const path = origin.requests.find(({ path }) =>
        path.endsWith(`high/seg${segment.number}.ts`),
      )?.path;
      expect(await rig.contentOf('ch1', 'high/video.m3u8', segment)).toBe(`${path}\n`.repeat(1000));
      expect(origin.count(`high/seg${segment.number}.ts`)).toBe(1);
    }
    expect(Buffer.from(rig.archive.reader.entry('ch1') ?? []).toString()).toContain(
      'high/video.m3u8',
    );
  });

  it('gives segments that follow each other times without a hole, and one run', async () => {
    const recording = await aRecording();
    await steps(recording, 4);
    const segments = await recording.rig.recorded('ch1', 'high/video.m3u8');
    for (const [at, segment] of segments.entries()) {
      const before = segments[at - 1];
      if (before !== undefined) expect(segment.startMs).toBe(before.startMs + before.durationMs);
    }
    expect(new Set(segments.map(({ run }) => run)).size).toBe(1);
  });

  it('tells the coverage within ten seconds, as one range', async () => {
    const recording = await aRecording();
    await steps(recording, 8);
    const { rig } = recording;
    const [segments, [known]] = [
      await rig.recorded('ch1', 'high/video.m3u8'),
      rig.archive.coverages.of('ch1'),
    ];
    expect(known?.ranges).toHaveLength(1);
    expect(known?.ranges[0]?.startMs).toBe(segments[0]?.startMs);
    const end = (segments.at(-1)?.startMs ?? 0) + 2_000;
    expect(end - (known?.ranges[0]?.endMs ?? 0)).toBeLessThanOrEqual(12_000);
  });

  it('goes on after a restart of the agent: nothing twice, nothing missing, the same run', async () => {
    const recording = await aRecording();
    await steps(recording, 3);
    await recording.rig.restart();
    await recording.rig.go(1_500);
    await steps(recording, 3);
    expect(await numbersOf(recording)).toEqual(range(6, 16));
    const segments = await recording.rig.recorded('ch1', 'high/video.m3u8');
    expect(new Set(segments.map(({ run }) => run)).size).toBe(1);
  });

  it('knows after a restart what is on the disk, whatever was believed', async () => {
    const recording = await aRecording();
    await steps(recording, 3);
    const { rig } = recording;
    const period = { startMs: 1_000, endMs: 2_000 };
    rig.archive.coverages.replace('ch1', 'ts', [period]);
    await rig.restart();
    await rig.go(1_000);
    const segments = await rig.recorded('ch1', 'high/video.m3u8');
    const [first, last] = [segments[0], segments.at(-1)];
    expect(rig.archive.coverages.ranges('ch1', 'ts')[0]?.startMs).toBe(first?.startMs);
    expect(rig.archive.coverages.ranges('ch1', 'ts')[0]?.endMs).toBe((last?.startMs ?? 0) + 2_000);
  });

  it('takes a packager that begins anew for another run', async () => {
    const recording = await aRecording();
    await steps(recording, 2);
    await recording.origin.stop();
    await recording.rig.go(4_000);
    await recording.origin.start(3);
    await recording.rig.go(2_000);
    await steps(recording, 2);
    const segments = await recording.rig.recorded('ch1', 'high/video.m3u8');
    expect(segments.map(({ number }) => number)).toContain(5);
    expect(new Set(segments.map(({ run }) => run)).size).toBe(2);
    expect(segments.find(({ number }) => number === 5)?.run).not.toBe(segments[0]?.run);
  });

  it('keeps the initialisation segment of fragmented MP4', async () => {
    const recording = await aRecording({ origin: { container: 'fmp4' } });
    await steps(recording, 2);
    const segments = await recording.rig.recorded('ch1', 'high/video.m3u8', 'fmp4');
    expect(segments.map(({ number }) => number)).toEqual(range(6, 12));
    const { map = '' } = segments[0] ?? {};
    const rung = { stream: 'ch1', rung: 'high/video.m3u8', container: 'fmp4' } as const;
    const found = await recording.rig.archive.reader.open(rung, map, 'bytes=0-4');
    expect(found).toMatchObject({ kind: 'stream', status: 206 });
    if (found.kind === 'stream') found.close();
    await recording.rig.go(10_000);
    expect(recording.rig.archive.coverages.ranges('ch1', 'fmp4')).toHaveLength(1);
  });

  it('records a stream that nobody watches and no group needs', async () => {
    const recording = await aRecording();
    await steps(recording, 30);
    expect((await numbersOf(recording)).at(-1)).toBe(40);
  });

  it('forgets nothing on the disk when a stream is not recorded any more', async () => {
    const recording = await aRecording();
    await steps(recording, 2);
    const { rig, origin } = recording;
    rig.configure({ name: 'ch1', origin: origin.entry });
    await rig.go(2_000);
    expect(rig.archive.reader.reads('ch1')).toBe(false);
    expect(rig.archive.coverages.of('ch1')).toEqual([]);
    rig.configure({ name: 'ch1', origin: origin.entry, archive: record });
    await rig.go(2_000);
    expect((await numbersOf(recording)).slice(0, 5)).toEqual(range(6, 10));
  });
});

describe('a stream that is recorded no more, and again, while its recordings are being opened', () => {
  it('never has two writers on the disk', async () => {
    const real = createOpenDvr({ defaultFolder: tempFolder(), reserveBytes: 0 });
    const events: string[] = [];
    let letOpen = () => {};
    const mayOpen = new Promise<void>((resolve) => {
      letOpen = resolve;
    });
    const openDvr: OpenDvr = async (stream, path) => {
      events.push('opens');
      const [dvr] = await Promise.all([real(stream, path), mayOpen]);
      const close = async () => {
        await dvr.close();
        events.push('closed');
      };
      return new Proxy(dvr, {
        get: (target, name) => {
          const value = name === 'close' ? close : Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    };
    const rig = createRecorderRig(tempFolder(), { openDvr });
    onTestFinished(() => rig.close());
    const origin = await rig.origin();
    const stream = { name: 'ch1', origin: origin.entry };
    // What is opened is waited for at the end of each step of the rig; here it hangs.
    const passes = async (archive?: object) => {
      rig.configure({ ...stream, ...(archive && { archive }) });
      const now = rig.clock.now();
      await Promise.all(rig.archive.cycles.map(({ run }) => run(now)));
    };
    await passes(record);
    await passes();
    await passes(record);
    expect(events).toEqual(['opens']);
    letOpen();
    await rig.go(1_500);
    expect(events).toEqual(['opens', 'closed', 'opens']);
    await steps({ rig, origin }, 2);
    expect(await rig.recorded('ch1', 'high/video.m3u8')).not.toEqual([]);
  });
});

describe('trouble while recording', () => {
  it('says which segments cannot be read, and leaves only these out', async () => {
    const recording = await aRecording();
    const { rig, origin } = recording;
    origin.route('/live/ch1/high/seg12.ts', (_, response) => void response.writeHead(404).end());
    await steps(recording, 4);
    expect(await numbersOf(recording)).toEqual([...range(6, 11), 13, 14]);
    expect(reasons(recording)).toEqual(['recorder-segment-unread']);
    expect(rig.log.lines.filter(({ event }) => event === 'recording troubled')).toHaveLength(1);
    await steps(recording, 61);
    expect(reasons(recording)).toEqual([]);
    expect(rig.log.lines.filter(({ event }) => event === 'recording trouble over')).toHaveLength(1);
  });

  it('tries a segment again that fails once', async () => {
    const recording = await aRecording();
    let tries = 0;
    recording.origin.route('/live/ch1/high/seg12.ts', (_, response) => {
      tries += 1;
      if (tries === 1) response.writeHead(503).end();
      else response.end('at last');
    });
    await steps(recording, 3);
    expect(await numbersOf(recording)).toEqual(range(6, 13));
  });

  it('leaves the live path alone when the disk takes nothing, says so, and goes on when it does again', async () => {
    let isFull = false;
    const folder = tempFolder();
    const real = createOpenDvr({ defaultFolder: folder, reserveBytes: 0 });
    const openDvr: OpenDvr = async (stream, path) => {
      const dvr = await real(stream, path);
      const full = { kind: 'fault', reason: 'recorder-disk-full', cause: 'ENOSPC' } as const;
      const keep: typeof dvr.keep = async (rung, segment) =>
        isFull ? full : dvr.keep(rung, segment);
      const get = (target: typeof dvr, name: keyof typeof dvr) => {
        const value = Reflect.get(target, name, target);
        if (name === 'keep') return keep;
        return typeof value === 'function' ? value.bind(target) : value;
      };
      return new Proxy(dvr, { get: (target, name) => get(target, name as keyof typeof dvr) });
    };
    const recording = await aRecording({ openDvr });
    const { rig, origin } = recording;
    await steps(recording, 1);
    isFull = true;
    await steps(recording, 3);
    expect(reasons(recording)).toEqual(['recorder-disk-full']);
    expect(rig.air('ch1')).toEqual({ onAir: true });
    const live = await rig.live.open('ch1', 'high/seg14.ts', '', undefined);
    expect(live.kind).toBe('stored');
    isFull = false;
    await steps(recording, 2);
    expect(reasons(recording)).toEqual([]);
    expect(await numbersOf(recording)).toEqual([...range(6, 11), 15, 16]);
    const ranges = () => rig.archive.coverages.ranges('ch1', 'ts');
    await steps({ rig, origin }, 5);
    expect(ranges()).toHaveLength(2);
  });

  it('serves live from a disk that is full, and says in the log and the coverage that it is', async (test) => {
    const folder = smallDisk();
    if (folder === undefined) return test.skip('no file system may be mounted here');
    const reserveBytes = Number.NEGATIVE_INFINITY;
    const openDvr = createOpenDvr({ defaultFolder: folder, reserveBytes });
    const recording = await aRecording({ openDvr });
    const { rig } = recording;
    await steps(recording, 30);
    expect(rig.archive.troubles.of('ch1')).toMatchObject([
      { reason: 'recorder-disk-full', cause: 'ENOSPC' },
    ]);
    const logged = rig.log.lines.filter(({ event }) => event === 'recording troubled');
    expect(logged.map(({ fields }) => fields)).toMatchObject([{ reason: 'recorder-disk-full' }]);
    expect(rig.air('ch1')).toEqual({ onAir: true });
    const live = await rig.live.open('ch1', 'high/seg40.ts', '', undefined);
    expect(live.kind).toBe('stored');
    const numbers = await numbersOf(recording);
    expect(numbers.length).toBeGreaterThan(15);
    expect(numbers.slice(0, 10)).toEqual(range(6, 15));
    const segments = await rig.recorded('ch1', 'high/video.m3u8');
    for (const segment of segments)
      expect(await rig.contentOf('ch1', 'high/video.m3u8', segment)).toHaveLength(segment.bytes);
  });

  it('does not record what is encrypted, and says so', async () => {
    const key = '#EXT-X-KEY:METHOD=AES-128,URI="key"';
    const body = `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:5\n${key}\n#EXTINF:2,\n5.ts\n`;
    const recording = await aRecording({ origin: { rungs: [], knobs: { playlistBody: body } } });
    await recording.rig.go(8_000);
    expect(reasons(recording)).toEqual(['recorder-encrypted']);
    expect(recording.rig.archive.reader.rungs('ch1')).toEqual([]);
  });

  it('finds out that the disk was emptied and offers it no more', async () => {
    const recording = await aRecording();
    const { rig, folder } = recording;
    await steps(recording, 10);
    expect(rig.archive.coverages.of('ch1')).toHaveLength(1);
    rmSync(join(folder, 'ch1'), { recursive: true });
    await steps(recording, 32);
    const [first] = await rig.recorded('ch1', 'high/video.m3u8');
    expect(first?.number).toBeGreaterThan(20);
    expect(rig.archive.coverages.ranges('ch1', 'ts')[0]?.startMs).toBe(first?.startMs);
    expect(rig.log.lines).toContainEqual(
      expect.objectContaining({ fields: expect.objectContaining({ reason: 'recording-lost' }) }),
    );
  });

  it('says what the system says when the folder is none', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'ch1'), 'a file');
    const openDvr = createOpenDvr({ defaultFolder: folder });
    const recording = await aRecording({ openDvr });
    await steps(recording, 1);
    expect(recording.rig.archive.troubles.of('ch1')[0]).toMatchObject({
      reason: 'recorder-disk-failed',
      cause: expect.stringMatching(/^E/),
    });
  });
});

describe('trimming of recordings', () => {
  const depth = (archive: object) => aRecording({ archive: { record: archive } });

  it('keeps the depth, and tells no more than that', async () => {
    const recording = await depth({ depth_h: 1 / 120 });
    const { rig } = recording;
    await steps(recording, 20);
    // Not before the clock is known to be steady.
    await rig.archive.trim(rig.clock.now());
    expect((await numbersOf(recording))[0]).toBe(6);
    rig.clock.advance(600_000);
    await rig.go(2_000);
    await rig.archive.trim(rig.clock.now());
    const depthMs = rig.clock.now().wallMs - 30_000;
    for (const { startMs, durationMs } of await rig.recorded('ch1', 'high/video.m3u8'))
      expect(startMs + durationMs).toBeGreaterThan(depthMs);
    for (const { startMs } of rig.archive.coverages.ranges('ch1', 'ts'))
      expect(startMs).toBeGreaterThanOrEqual(depthMs);
  });

  it('removes nothing for a while after the clock was set', async () => {
    const recording = await depth({ depth_h: 1 });
    const { rig } = recording;
    await rig.archive.trim(rig.clock.now());
    rig.clock.advance(600_000);
    await steps(recording, 2);
    const before = await numbersOf(recording);
    rig.clock.stepWall(86_400_000);
    await rig.archive.trim(rig.clock.now());
    expect(await numbersOf(recording)).toEqual(before);
    rig.clock.advance(599_999);
    await rig.archive.trim(rig.clock.now());
    expect(await numbersOf(recording)).toEqual(before);
    rig.clock.advance(1);
    await rig.archive.trim(rig.clock.now());
    expect(await numbersOf(recording)).toEqual([]);
  });

  it('makes room within the budget as it goes, oldest first', async () => {
    // Segments of two rungs have about 21 kB each.
    const recording = await depth({ depth_h: 24, budget_mb: 0.3 });
    const { rig } = recording;
    await steps(recording, 20);
    const numbers = await numbersOf(recording);
    expect(numbers.at(-1)).toBe(30);
    expect(numbers).toEqual(range(numbers[0] ?? 0, 30));
    const segments = await rig.recorded('ch1', 'high/video.m3u8');
    const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
    expect(2 * bytes).toBeLessThanOrEqual(320_000);
    expect(2 * bytes).toBeGreaterThan(200_000);
    await steps(recording, 6);
    const [first] = await rig.recorded('ch1', 'high/video.m3u8');
    expect(rig.archive.coverages.ranges('ch1', 'ts')[0]?.startMs).toBeGreaterThanOrEqual(
      (first?.startMs ?? 0) - 12_000,
    );
  });
});
