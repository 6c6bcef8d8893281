/**
 * `node test/bench/recorder.mjs`, no build needed: what recording costs. The whole recorder with 20 streams of 5 Mbit/s,
 * segments of 4 s, on the real disk in real time for SECONDS (20): processor time of the process, and the same process with
 * nothing to record. Then the index of 24 h (21 600 segments): first reading, again, and memory for 72 h of four rungs; and the
 * playlist of another 24 h, from the index on the disk to the bytes that are sent.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { runnerImport } from 'vite';

const seconds = Number(process.env.SECONDS ?? 20);
const streamCount = 20;
const segmentS = 4;
const hourMs = 3_600_000;
const segmentBytes = (5_000_000 / 8) * segmentS;

const load = async (path) => {
  const file = new URL(`../../src/${path}`, import.meta.url).pathname;
  return (await runnerImport(file, { configFile: false, logLevel: 'error' })).module;
};
const { createOpenDvr } = await load('adapters/dvr/open-dvr.ts');
const { Recorder } = await load('agent/archive/recorder.ts');
const { Coverages } = await load('agent/archive/coverages.ts');
const { Troubles } = await load('agent/archive/troubles.ts');
const index = await load('core/archive/segment-index.ts');
const { takeSegments } = await load('core/archive/take-segments.ts');
const { withPass } = await load('core/archive/period-playlist.ts');
const { PeriodTexts } = await load('agent/archive/period-texts.ts');
const { systemClock, systemTimers } = await load('adapters/system/clock.ts');

const parent = process.env.FOLDER ?? process.cwd();
const folder = mkdtempSync(join(parent, '.bench-recorder-'));
const line = (what, figure) => console.log(`${what.padEnd(66)} ${figure}`);
try {
  await benchRecording();
  await benchReading();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Live streams whose segments are in memory already, as those of a live window are. */
function fakeLive(isMoving) {
  const content = new Uint8Array(segmentBytes).fill(71);
  const ladder = { variants: [{ uri: 'v0.m3u8', bandwidth: 5_000_000 }], renditions: [] };
  const entry = { bytes: new TextEncoder().encode('#EXTM3U\n'), template: { ladder } };
  const startedAt = Date.now();
  const snapshots = new Map();
  const playlistOf = (number) => {
    const date = new Date(startedAt + number * segmentS * 1_000).toISOString();
    const head = `#EXTM3U\n#EXT-X-TARGETDURATION:${segmentS}\n#EXT-X-MEDIA-SEQUENCE:${number}\n`;
    const names = [0, 1, 2, 3, 4, 5].map((at) => `#EXTINF:${segmentS},\n${number + at}.ts\n`);
    return new TextEncoder().encode(`${head}#EXT-X-PROGRAM-DATE-TIME:${date}\n${names.join('')}`);
  };
  return {
    entry: () => entry,
    media: (name) => {
      const at = Number(name.slice(2)) / streamCount;
      const passedS = (Date.now() - startedAt) / 1_000;
      const number = isMoving ? Math.floor(passedS / segmentS + at) : 0;
      if (snapshots.get(name)?.number !== number)
        snapshots.set(name, { number, fetchedAt: performance.now(), bytes: playlistOf(number) });
      return snapshots.get(name);
    },
    open: async () => ({ kind: 'stored', status: 200, headers: {}, bytes: content }),
    watch: () => {},
    facts: () => undefined,
  };
}

async function benchRecording() {
  const idle = await record(false);
  const busy = await record(true);
  const share = (cpu) => `${(cpu * 100).toFixed(2)} % of a core`;
  line(`recording ${streamCount} streams of 5 Mbit/s, ${busy.segments} segments`, share(busy.cpu));
  line('the same, windows that stand still', share(idle.cpu));
  line('recording adds', share(busy.cpu - idle.cpu));
  line('longest hold-up of other work meanwhile', `${busy.heldUpMs.toFixed(0)} ms`);
}

async function record(isMoving) {
  const openDvr = createOpenDvr({ defaultFolder: join(folder, String(isMoving)) });
  const log = { debug() {}, info() {}, warn: console.log, error: console.log };
  const store = { list: () => [], rewrite() {}, remove() {} };
  const live = fakeLive(isMoving);
  const coverages = new Coverages(store);
  const recorder = new Recorder({
    ...{ clock: systemClock, timers: systemTimers, log, live, openDvr, coverages },
    newId: () => 'a'.repeat(22),
    troubles: new Troubles(log),
  });
  const names = Array.from({ length: streamCount }, (_, at) => `ch${at}`);
  recorder.configure(names.map((name) => ({ name, archive: { record: { depth_h: 72 } } })));
  // The first windows are recorded at once, which is no usual load.
  const until = (at) => tickUntil(recorder, at);
  while (counted(names, recorder) < streamCount * 6 * segmentBytes) await until(Date.now() + 1_000);
  const before = counted(names, recorder);
  const [from, startedAt] = [process.cpuUsage(), performance.now()];
  const heldUpMs = await until(Date.now() + seconds * 1_000);
  const { user, system } = process.cpuUsage(from);
  const cpu = (user + system) / 1_000 / (performance.now() - startedAt);
  const segments = Math.round((counted(names, recorder) - before) / segmentBytes);
  await recorder.close();
  return { cpu, segments, heldUpMs };
}

async function tickUntil(recorder, at) {
  let heldUpMs = 0;
  while (Date.now() < at) {
    void recorder.tick(systemClock.now());
    for (let part = 0; part < 10; part += 1) {
      const askedAt = performance.now();
      await wait(50);
      heldUpMs = Math.max(heldUpMs, performance.now() - askedAt - 50);
    }
  }
  return heldUpMs;
}

function counted(names, recorder) {
  return names.reduce((sum, name) => sum + (recorder.recorded(name)?.dvr.bytes() ?? 0), 0);
}

async function benchReading() {
  const rungs = ['v0.m3u8', 'v1.m3u8', 'v2.m3u8', 'a0.m3u8'];
  const hours = 72;
  const fromMs = Date.UTC(2026, 10, 1);
  for (const rung of rungs) writeHours(rung, fromMs, hours);
  const dvr = await createOpenDvr({ defaultFolder: folder })('ch', undefined);
  const list = (rung, from, to) =>
    dvr.list(
      { container: 'ts', rung },
      { startMs: fromMs + from * hourMs, endMs: fromMs + to * hourMs },
    );
  await list('v1.m3u8', 0, 24);
  const timed = async (work) => {
    const [at, from] = [performance.now(), process.cpuUsage()];
    const blocks = await work();
    const { user, system } = process.cpuUsage(from);
    const cpuMs = (user + system) / 1_000;
    return { ms: performance.now() - at, cpuMs, segments: blocks.flat().length };
  };
  const figure = ({ ms, cpuMs }) => `${ms.toFixed(1)} ms, ${cpuMs.toFixed(1)} ms of processor`;
  const first = await timed(() => list('v0.m3u8', 24, 48));
  const again = await timed(() => list('v0.m3u8', 24, 48));
  line(`24 h of one rung, ${first.segments} segments, first`, figure(first));
  line('the same again', figure(again));
  const texts = new PeriodTexts();
  const answer = async () => {
    const period = { startMs: fromMs + 48 * hourMs, endMs: fromMs + 72 * hourMs };
    const blocks = await list('v0.m3u8', 48, 72);
    const slices = takeSegments([{ ...period, blocks, prefix: '' }]);
    withPass(texts.join('a', slices, { grows: false, node: 'a' }), '');
    return blocks;
  };
  line('playlist of 24 h, its index read from the disk', figure(await timed(answer)));
  line('the same again', figure(await timed(answer)));
  const surveyed = await timed(async () => [await dvr.survey()]);
  line(`survey of ${hours} h of ${rungs.length} rungs at start`, figure(surveyed));
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (const rung of rungs) await list(rung, 0, hours);
  globalThis.gc?.();
  const mb = (process.memoryUsage().heapUsed - before) / 1_000_000;
  line(`memory after reading all ${hours} h (with --expose-gc)`, `${mb.toFixed(0)} MB`);
  await dvr.close();
}

function writeHours(rung, fromMs, hours) {
  for (let hour = 0; hour < hours; hour += 1) {
    const startMs = fromMs + hour * hourMs;
    const name = new Date(startMs).toISOString().slice(0, 13).replaceAll(/[-T]/g, '');
    const path = join(folder, 'ch', `ts.${rung}`, name);
    mkdirSync(path, { recursive: true });
    const records = [index.encodeRun('run', 0)];
    for (let at = 0; at < 3_600 / segmentS; at += 1) {
      const segment = {
        ending: 'ts',
        startMs: startMs + at * segmentS * 1_000,
        run: 'run',
        map: 0,
      };
      const number = (hour * 3_600) / segmentS + at;
      const bytes = segmentBytes;
      records.push(
        index.encodeSegment({ ...segment, durationMs: segmentS * 1_000, number, bytes }, 0),
      );
    }
    writeFileSync(join(path, 'index'), Buffer.concat(records));
  }
}
