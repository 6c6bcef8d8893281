/**
 * `node test/bench/refresh.mjs`, after a build: what it costs until viewers get a new canonical media playlist, once a segment
 * of the packager was read, of 500 streams on core 0, each alone in its group. `refresh`: publishing, the live window, the
 * playlist's text. `feed`: that, cutting and writing what was read and its checksum, which grow with the bit rate
 * (`timeline.mjs`; the demo's channel has little of it). `look`: what all streams together cost each 100 ms. What members
 * of a group say to each other is not in it. Processor time; `ROUNDS` (20) segments of each stream, after as many to warm up.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { checksum } from '../../dist/adapters/system/checksum.js';
import { CanonicalWindow } from '../../dist/agent/timeline/canonical-window.js';
import { playlistSnapshot } from '../../dist/agent/timeline/served.js';
import { Timelines } from '../../dist/agent/timeline/timelines.js';
import { createTsReader } from '../../dist/core/media/ts-reader.js';
import { createTestChannel, loadClip } from '../../dist/demo/test-channel.js';
import { median } from './load.mjs';

const streams = 500;
const rounds = Number(process.env.ROUNDS ?? 20);
const warmRounds = rounds + 10;
const segmentMs = 2_000;
const lookMs = 100;

if (process.argv[2] === undefined) {
  const args = ['-c', '0', process.execPath, fileURLToPath(import.meta.url), 'measured'];
  process.exitCode = spawnSync('taskset', args, { stdio: 'inherit' }).status ?? 1;
} else measure();

function measure() {
  let at = Date.now() - (Date.now() % segmentMs);
  const clock = { now: () => ({ wallMs: at, monoMs: at }) };
  const timelines = openTimelines(clock);
  const all = Array.from({ length: streams }, (_, index) => {
    const name = `s${index}`;
    const timeline = timelines.open({ name, group: name, declared: false });
    timeline.setRungs(1);
    return { timeline, copy: new CanonicalWindow('~canonical/0/') };
  });
  const spent = { refresh: emptyCost(), feed: emptyCost(), look: emptyCost() };
  const channel = createTestChannel(loadClip());
  const reader = createTsReader();
  let bits = 0;
  for (let round = -warmRounds; round < rounds; round += 1) {
    const bytes = channel.segment(at / segmentMs - 1, at);
    const reading = reader.read(bytes, 'segment');
    const isWarm = round >= 0;
    const fed = { reading, completeAt: at, bytes: bytes.length };
    noteAll(isWarm && spent.feed, all, ({ timeline }) => feed(timeline, fed, clock.now()));
    noteAll(isWarm && spent.refresh, all.filter(hasMoved), refresh);
    const looks = Array.from({ length: segmentMs / lookMs }, (_, look) => at + look * lookMs);
    noteAll(isWarm && spent.look, looks, (lookAt) => {
      at = lookAt;
      timelines.tick(clock.now());
    });
    at += lookMs;
    if (isWarm) bits += bytes.length * 8;
  }
  report(spent, all, bits / (rounds * segmentMs));
}

/** All that viewers wait for. */
function feed(timeline, fed, now) {
  timeline.feed(0, fed, now);
  const window = timeline.window(0);
  return window && playlistSnapshot(window);
}

function hasMoved({ timeline, copy }) {
  const { newest } = timeline.window(0) ?? {};
  return newest !== undefined && newest.number !== copy.newest?.number;
}

/** Once more what was published of a stream last, into a window of its own. */
function refresh({ timeline, copy }) {
  copy.offer();
  copy.add(timeline.window(0).newest);
  return playlistSnapshot(copy);
}

function emptyCost() {
  return { eachMs: [], cpuMs: 0 };
}

/** Does a work that waits for nothing with each, and notes what each took and what all cost, with their share of tidying up. */
function noteAll(spent, all, work) {
  const before = process.cpuUsage();
  const eachMs = all.map((one) => {
    const from = performance.now();
    work(one);
    return performance.now() - from;
  });
  const { user, system } = process.cpuUsage(before);
  if (!spent) return;
  spent.eachMs.push(...eachMs);
  spent.cpuMs += (user + system) / 1000;
}

function report(spent, all, kbps) {
  const whole = all.filter(({ timeline }) => timeline.isOffered);
  const published = spent.refresh.eachMs.length;
  if (whole.length < streams || published < streams * (rounds - 1))
    throw new Error(`${whole.length} streams offered, ${published} segments published`);
  const p99 = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length * 0.99)];
  const share = (cpuMs) => `${((cpuMs * 100) / (rounds * segmentMs)).toFixed(1)} %`;
  const line = (...cells) => console.log(`| ${cells.join(' | ')} |`);
  line('work', 'median ms', '99 % ms', `of one core, ${streams} streams`);
  line('---', '--:', '--:', '--:');
  const row = (what, { eachMs, cpuMs }) =>
    line(what, median(eachMs).toFixed(3), p99(eachMs).toFixed(3), share(cpuMs));
  row('refresh of a canonical media playlist', spent.refresh);
  row(`the same with cutting and checksum, ${kbps.toFixed(0)} kbit/s`, spent.feed);
  row(`look at ${streams} streams`, spent.look);
}

function openTimelines(clock) {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const rows = new Map();
  const store = { read: (name) => rows.get(name), write: (name, row) => void rows.set(name, row) };
  return new Timelines({
    ...{ clock, log, checksum, store, nodeId: 'node-a', boot: 'boot-1', peers: () => [] },
    link: {},
  });
}
