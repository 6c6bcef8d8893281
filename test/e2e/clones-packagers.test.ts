import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isInstalled } from '../support/installed.ts';
import { type LiveSource, startLiveSource, withB } from '../support/live-source.ts';
import { startTestNodes, type TestNode } from '../support/nodes.ts';
import type { Packager, PackagerKind } from '../support/packager.ts';
import { createWatcher, type Published, shaOf } from '../support/published.ts';

/** The other packager of each pair; the first one makes 2 s segments and keeps the source's times. */
const others: Readonly<Record<string, PackagerKind>> = {
  '4 s, based anew': { segmentS: 4 },
  '6 s': { segmentS: 6 },
  'fed through MP4': { segmentS: 2, through: 'mp4' },
  'fed through FLV': { segmentS: 2, through: 'flv' },
  // Ahead of the other by a keyframe, it would publish what it lost before anybody could tell.
  'every 97th datagram lost': { segmentS: 2, losesEvery: 97, isInStep: true },
  ...(isInstalled('gst-launch-1.0') ? { GStreamer: { segmentS: 2, byGstreamer: true } } : {}),
};
const names = Object.keys(others);
const apartMs = 7_000;
const watchMs = 30_000;
const lookMs = 500;
const publishMsMax = 60_000;
/** After the start of new packagers. */
const returnMs = 45_000;
const lateMsMax = 30_000;
/** Both have at least so much of the stream in common, s: it is cut into segments as long as the longer packager's. */
const commonS = 18;
const commonMin = (name: string) => Math.floor(commonS / (others[name]?.segmentS ?? 2));
/** While they are watched; of six seconds each where the other packager makes such. */
const freshMin = 3;
/** Packagers that count in other units (GStreamer: ns) scatter by less than 2 ms. */
const jitterTicks = 180;
/** 25 pictures a second, 1024 samples of 48 kHz a frame of sound. */
const usualTicks = new Map([
  ['video', 3_600],
  ['audio', 1_920],
]);

const readMsMax = 20_000;
const execute = promisify(execFile);
const run = (program: string, args: readonly string[], options: object = {}) =>
  execute(program, [...args], { timeout: readMsMax, maxBuffer: 2 ** 26, ...options });

describe.skipIf(!isInstalled('ffmpeg'))(
  'two packagers of one source, each behind its agent',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-pairs-'));
    let source: LiveSource;
    let rig: Awaited<ReturnType<typeof startTestNodes>>;
    let first: Packager;
    let second: readonly Packager[] = [];
    let pairs: Pairs;

    beforeAll(async () => {
      source = await startLiveSource({ video: withB });
      first = await source.packager(join(folder, 'first'), {
        ...{ segmentS: 2, keepsTimes: true, isInStep: true },
      });
      first.start();
      await delay(apartMs);
      second = await Promise.all(
        names.map((name, at) =>
          source.packager(join(folder, `${at}`), others[name] ?? { segmentS: 2 }),
        ),
      );
      for (const packager of second) packager.start();
      await Promise.all(second.map((packager) => packager.untilListed(2)));
      const streams = (folders: readonly string[]) =>
        folders.map((origin, at) => ({
          name: `pair-${at}`,
          origin: join(origin, 'index.m3u8'),
          group: `pair-${at}`,
        }));
      rig = await startTestNodes([
        streams(names.map(() => first.folder)),
        streams(second.map((packager) => packager.folder)),
      ]);
      await untilPublished(rig.nodes);
      pairs = await watch(rig.nodes, names, watchMs);
    }, 180_000);

    afterAll(async () => {
      await rig?.stop();
      await source?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test.each(names)('give the same bytes under the same names: %s', (name) => {
      const [a, b] = pairs.get(name) ?? [];
      expectSameBytes(a, b, commonMin(name));
    });

    test.each(names)('list the same lines where their windows overlap: %s', (name) => {
      const [a, b] = pairs.get(name) ?? [];
      expectSameLines(a, b, commonMin(name));
    });

    test.each(names)('never list what they do not have: %s', (name) => {
      for (const { missing } of pairs.get(name) ?? []) expect([...missing]).toEqual([]);
    });

    test.each(names)('are read without a complaint in any mixture: %s', async (name) => {
      const [a, b] = pairs.get(name) ?? [];
      // A node alone publishes what it has: only what came while both were there is whole.
      const before = [a, b]
        .flatMap((side) => [...(side?.windows[0]?.blocks.values() ?? [])])
        .join();
      const fresh = [...(a?.segments ?? [])].filter(([segment]) => !before.includes(segment));
      expect(fresh.length).toBeGreaterThanOrEqual(freshMin);
      const parts = fresh.map(([segment, bytes], at) =>
        at % 2 === 0 ? bytes : (b?.segments.get(segment) ?? bytes),
      );
      const path = join(folder, 'mixture.ts');
      writeFileSync(path, Buffer.concat(parts));
      chmodSync(folder, 0o755);
      expect(await complaintsOf(path)).toEqual([]);
    });

    test('go on with the same numbers and bytes when one packager is started anew', async () => {
      await restart(second.slice(0, 1));
      await expectOneStream(pairs, await watch(rig.nodes, names.slice(0, 1), returnMs));
    });

    test('go on with higher numbers and the same bytes when both are started anew', async () => {
      await restart([first, ...second.slice(0, 1)]);
      await expectOneStream(pairs, await watch(rig.nodes, names.slice(0, 1), returnMs));
    });
  },
);

type Pairs = ReadonlyMap<string, readonly Published[]>;

async function restart(packagers: readonly Packager[]): Promise<void> {
  await Promise.all(packagers.map((packager) => packager.kill()));
  await delay(1_000);
  for (const packager of packagers) packager.start();
}

/** Resolves when every stream is to be had from every node. */
async function untilPublished(nodes: readonly TestNode[]): Promise<void> {
  const watchers = nodes.flatMap(({ url }) =>
    names.map((_, at) => createWatcher(`${url}/pair-${at}/index.m3u8`)),
  );
  const until = performance.now() + publishMsMax;
  for (let missing = watchers; missing.length > 0; ) {
    await Promise.all(missing.map((watcher) => watcher.look()));
    missing = missing.filter(({ published }) => published.windows.at(-1) === undefined);
    if (performance.now() > until)
      throw new Error(`not published:\n${nodes.map((node) => node.log()).join('\n')}`);
    await delay(lookMs);
  }
}

/**
 * Looks at the streams `pair-0`, `pair-1` ... of all nodes, as many as there are names; for longer where one is not there
 * at the end, as a packager that is late on a busy machine takes it off air for some seconds.
 */
async function watch(
  nodes: readonly TestNode[],
  of: readonly string[],
  ms: number,
): Promise<Pairs> {
  const watchers = of.map((_, at) =>
    nodes.map(({ url }) => createWatcher(`${url}/pair-${at}/index.m3u8`)),
  );
  const since = performance.now();
  const isMissing = () => watchers.flat().some(({ published }) => !published.windows.at(-1));
  for (let passed = 0; passed < ms || (isMissing() && passed < ms + lateMsMax); ) {
    await Promise.all(watchers.flat().map((watcher) => watcher.look()));
    await delay(lookMs);
    passed = performance.now() - since;
  }
  return new Map(
    of.map((name, at) => [name, (watchers[at] ?? []).map(({ published }) => published)]),
  );
}

function sameNames(a: Published | undefined, b: Published | undefined): readonly string[] {
  return [...(a?.segments.keys() ?? [])].filter((name) => b?.segments.has(name));
}

function expectSameBytes(
  a: Published | undefined,
  b: Published | undefined,
  countMin: number,
): void {
  const common = sameNames(a, b);
  expect(common.length).toBeGreaterThanOrEqual(countMin);
  const shas = (of: Published | undefined) =>
    common.map((name) => `${name} ${shaOf(of?.segments.get(name))}`);
  expect(shas(b)).toEqual(shas(a));
}

/** Windows read at the same moment: what both list, they list with the same lines. */
function expectSameLines(
  a: Published | undefined,
  b: Published | undefined,
  countMin: number,
): void {
  const shared = new Set<number>();
  for (const [at, window] of (a?.windows ?? []).entries()) {
    const other = b?.windows[at];
    if (window === undefined || other === undefined) continue;
    const numbers = [...window.blocks.keys()].filter((number) => other.blocks.has(number));
    const lines = ({ head, blocks }: typeof window) => [
      ...head,
      ...numbers.map((number) => blocks.get(number)),
    ];
    expect(lines(other)).toEqual(lines(window));
    for (const number of numbers) shared.add(number);
  }
  expect(shared.size).toBeGreaterThanOrEqual(countMin);
}

/** After trouble: both publish to the end, the same, and no number ever fell. */
async function expectOneStream(before: Pairs, after: Pairs): Promise<void> {
  for (const [name, sides] of after) {
    const [a, b] = sides;
    expectSameBytes(a, b, commonMin(name));
    expectSameLines(a, b, commonMin(name));
    for (const [at, { windows }] of sides.entries()) {
      expect(windows.at(-1)).toBeDefined();
      const all = [...(before.get(name)?.[at]?.windows ?? []), ...windows];
      const sequences = all.flatMap((window) => window?.sequence ?? []);
      expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
    }
  }
}

/** What players and ffprobe find wrong with a file; VLC and GStreamer where they are installed. */
async function complaintsOf(path: string): Promise<readonly string[]> {
  const ffmpeg = await run('ffmpeg', ['-v', 'warning', '-i', path, '-f', 'null', '-']);
  const complaints = [...linesOf(ffmpeg.stderr), ...(await jumpsOf(path))];
  if (isInstalled('gst-launch-1.0')) {
    // Queues without a limit: pictures and sound may lie far apart.
    const queue = ['queue', ...['buffers', 'bytes', 'time'].map((of) => `max-size-${of}=0`)];
    const lane = (parser: string) => ['d.', '!', ...queue, '!', parser, '!', 'fakesink'];
    const source = ['filesrc', `location=${path}`, '!', 'tsdemux', 'name=d'];
    const args = ['-q', ...source, ...lane('h264parse'), ...lane('aacparse')];
    const env = { ...process.env, GST_DEBUG: '2', GST_DEBUG_NO_COLOR: '1' };
    const { stderr } = await run('gst-launch-1.0', args, { env });
    complaints.push(...linesOf(stderr).filter((line) => !line.includes('basesrc')));
  }
  if (isInstalled('cvlc')) {
    const args = ['-v', '--no-color', '--intf', 'dummy', '--sout', '#dummy'];
    // VLC does not run as root.
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const env = { PATH: process.env.PATH, HOME: tmpdir() };
    const vlc = await run('cvlc', [...args, path, 'vlc://quit'], { env, ...nobody });
    complaints.push(...linesOf(vlc.stderr).filter((line) => /demux (warning|error)/.test(line)));
  }
  return complaints;
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** Steps of DTS that are not one picture, or one frame of sound, long. */
async function jumpsOf(path: string): Promise<readonly string[]> {
  const shown = ['-show_entries', 'packet=codec_type,dts', '-of', 'csv=p=0'];
  const { stdout } = await run('ffprobe', ['-v', 'error', ...shown, path]);
  const last = new Map<string, number>();
  const jumps: string[] = [];
  for (const line of linesOf(stdout)) {
    const [type = '', dts = ''] = line.split(',');
    const step = Number(dts) - (last.get(type) ?? Number(dts) - (usualTicks.get(type) ?? 0));
    if (Math.abs(step - (usualTicks.get(type) ?? step)) > jitterTicks)
      jumps.push(`${line}: ${step}`);
    last.set(type, Number(dts));
  }
  return jumps;
}
