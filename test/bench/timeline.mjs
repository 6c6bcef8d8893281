/**
 * What writing a stream anew costs: reading, marks, cutting and writing, checksums; in percent of one core per 6 Mbit/s.
 * `node test/bench/timeline.mjs`, after a build; needs ffmpeg. ROUNDS (15) rounds, medians, after as many to warm up.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTsReader } from '../../dist/core/media/ts-reader.js';
import { createCanonicalCutter } from '../../dist/core/timeline/cutter.js';
import { foundRun } from '../../dist/core/timeline/found-run.js';
import { marksOf } from '../../dist/core/timeline/marks.js';

const rounds = Number(process.env.ROUNDS ?? 15);
/** An agent runs for weeks: what is measured is code that has long been compiled. */
const warmRounds = 15;
const clipS = 30;
const segmentS = 2;
const referenceMbps = 6;

const segments = makeSegments();
const bytes = segments.reduce((sum, segment) => sum + segment.length, 0);
const mbps = (bytes * 8) / 1e6 / clipS;
const results = [];
for (let round = -warmRounds; round < rounds; round += 1) {
  const result = measure();
  if (round >= 0) results.push(result);
}
console.log(
  `${segments.length} segments, ${mbps.toFixed(1)} Mbit/s, H.264 720p and AAC, medians of ${rounds}`,
);
for (const part of Object.keys(results[0])) {
  const sorted = results.map((result) => result[part]).sort((a, b) => a - b);
  const cpuS = sorted[sorted.length >> 1] / 1e6;
  const percent = (cpuS / clipS) * 100 * (referenceMbps / mbps);
  console.log(`${part.padEnd(16)} ${percent.toFixed(3)} % of a core per ${referenceMbps} Mbit/s`);
}

/** CPU microseconds by part of the work, of the whole clip. */
function measure() {
  const cost = { read: 0, marks: 0, 'cut and write': 0, checksum: 0, all: 0 };
  const timed = (part, work) => {
    const before = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(before);
    cost[part] += user + system;
    cost.all += user + system;
    return result;
  };
  const reader = createTsReader();
  const held = [];
  let cutter;
  let count = 0;
  for (const segment of segments) {
    const reading = timed('read', () => reader.read(segment, 'segment'));
    timed('marks', () => marksOf('h264', reading.units, Date.now()));
    held.push(reading);
    const readings = cutter === undefined ? begin(held) : [reading];
    if (readings === undefined) continue;
    cutter ??= readings.cutter;
    for (const each of readings.all ?? readings)
      for (const done of timed('cut and write', () => cutter.push(each))) {
        timed('checksum', () => createHash('sha256').update(done.bytes).digest('base64url'));
        count += 1;
      }
  }
  if (count < clipS / segmentS - 4) throw new Error(`only ${count} canonical segments`);
  return cost;
}

/** A cutter as soon as enough was read to found a run. */
function begin(held) {
  const founding = foundRun({
    ...{ nodeId: 'node-a', arrivedAt: Date.now(), segmentMs: segmentS * 1000 },
    tracks: held[0].tracks,
    units: held.flatMap(({ units }) => units),
  });
  if (founding.kind !== 'founded') return undefined;
  const { run, offset } = founding;
  const cutter = createCanonicalCutter(run, { offset, nearTicks: run.originTicks });
  return { cutter, all: held.splice(0) };
}

function makeSegments() {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-bench-'));
  const { status } = spawnSync(
    'ffmpeg',
    [
      ...['-hide_banner', '-loglevel', 'error', '-nostdin', '-f', 'lavfi'],
      ...['-i', `testsrc2=s=1280x720:r=25:d=${clipS},noise=alls=20:allf=t`],
      ...['-f', 'lavfi', '-i', `sine=b=4:d=${clipS}`, '-c:v', 'libx264', '-preset', 'ultrafast'],
      ...['-g', '25', '-b:v', '6M', '-minrate', '6M', '-maxrate', '6M', '-bufsize', '6M'],
      ...[
        '-pix_fmt',
        'yuv420p',
        '-c:a',
        'aac',
        '-b:a',
        '128k',
        '-f',
        'hls',
        '-hls_time',
        String(segmentS),
      ],
      ...['-hls_list_size', '0', join(folder, 'index.m3u8')],
    ],
    { stdio: 'inherit' },
  );
  if (status !== 0) throw new Error('ffmpeg failed');
  const names = readFileSync(join(folder, 'index.m3u8'), 'utf8').match(/^[^#\n].*$/gm) ?? [];
  const all = names.map((name) => new Uint8Array(readFileSync(join(folder, name))));
  rmSync(folder, { recursive: true });
  return all;
}
