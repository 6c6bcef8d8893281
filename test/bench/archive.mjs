/**
 * `node test/bench/archive.mjs`, after a build: what archive requests cost. Which node answers a period, from memory, with 500 streams on
 * 5 nodes of 1 000 ranges each; and the playlist of 24 h with 21 600 segments, first and repeated, own and half of it
 * from another node, beside reading the same text with m3u8-parser and joining its lines; and what a new segment costs at
 * the end of one that grows. Prints a table for `docs/performance.md`.
 */
import { Parser } from 'm3u8-parser';
import { PeriodTexts } from '../../dist/agent/archive/period-texts.js';
import { packRanges } from '../../dist/core/archive/archive-facts.js';
import { withPass } from '../../dist/core/archive/period-playlist.js';
import { placeArchive } from '../../dist/core/archive/place-archive.js';
import { cutRanges } from '../../dist/core/archive/ranges.js';
import { takeSegments } from '../../dist/core/archive/take-segments.js';
import { judgeCandidates } from '../../dist/core/placement/candidates.js';

const streams = 500;
const rangesEach = 1_000;
const rangeMs = 600_000;
const nowMs = 1_800_000_000_000;
const now = { wallMs: nowMs, monoMs: 1e7 };
const depthMs = rangesEach * rangeMs;
const keyId = '1-key';
const viewer = {
  ...{ address: '203.0.113.50', isPublic: true, isHttps: false, family: 'browser' },
  ...{ followsBackups: true, key: '203.0.113.50|browser' },
};

function nodeFacts(id) {
  return {
    ...{ id, protocol: 1, version: '0', publicUrl: `http://${id}.example.net`, addresses: [] },
    ...{ draining: false, overloaded: false, atBackupLimit: false, weight: 1 },
    ...{ ownSessions: 0, backupSessions: 0, keys: [keyId], passTtlS: 43_200 },
  };
}

function streamFacts(name, archive) {
  const hls = { air: { onAir: true }, lastMovedAt: nowMs, container: 'ts', lowLatency: false };
  return { name, group: name, reserve: true, source: 'studio', hls, archive };
}

function peerOf(id, list) {
  return {
    ...{ url: `http://${id}`, reachability: 'reachable', heardAt: now.monoMs },
    clock: { offsetMs: 0, roundTripMs: 2 },
    facts: nodeFacts(id),
    streams: new Map(list.map((stream) => [stream.name, stream])),
  };
}

/** Recordings with a hole of up to a minute every ten minutes, other ones on each node. */
function recordings(seed) {
  let random = seed + 1;
  const next = () => {
    random = (random * 48_271) % 2_147_483_647;
    return random / 2_147_483_647;
  };
  return Array.from({ length: rangesEach }, (_, at) => {
    const startMs = nowMs - depthMs + at * rangeMs;
    return { startMs, endMs: startMs + rangeMs - Math.ceil(next() * 60_000) };
  });
}

function benchPlacement(periodMs) {
  const peerStreams = [1, 2, 3, 4].map((node) =>
    Array.from({ length: streams }, (_, at) =>
      streamFacts(`ch${at}`, {
        ...{ depthMs, hls: true, dash: false, lists: true },
        ts: packRanges(recordings(node * streams + at), nowMs, undefined),
      }),
    ),
  );
  const peers = peerStreams.map((list, at) => peerOf(`node-${'bcde'[at]}`, list));
  const wishes = Array.from({ length: streams }, (_, at) => {
    const name = `ch${at}`;
    const own = recordings(at);
    const candidates = judgeCandidates({
      ...{ self: nodeFacts('node-a'), name, own: streamFacts(name, undefined), now },
      ...{ peers: peers.map((peer) => only(peer, name)), signingKeyId: keyId },
      source: () => undefined,
    });
    return { name, own, candidates };
  });
  const ask = ({ name, own, candidates }, round) => {
    const at = Number(name.slice(2));
    const startMs = nowMs - depthMs + ((at * 7_919 + round * 104_729) % 900) * rangeMs;
    const period = { startMs, endMs: Math.min(startMs + periodMs, nowMs) };
    const began = performance.now();
    placeArchive({
      ...{ stream: name, protocol: 'hls', container: 'ts', period, form: 'entry', nowMs },
      ...{ viewer, arrival: { kind: 'own' }, candidates },
      own: () => cutRanges(own, period),
      joins: () => true,
      sentLately: new Map(),
    });
    return performance.now() - began;
  };
  const times = [];
  // The best of a few runs of each: other processes of the machine are not what is measured.
  for (let round = 0; round < 10; round += 1)
    for (const wish of wishes)
      times.push(Math.min(...Array.from({ length: 5 }, () => ask(wish, round))));
  return times.sort((a, b) => a - b);
}

function only(peer, name) {
  return { ...peer, streams: new Map([[name, peer.streams.get(name)]]) };
}

/** 24 hours in blocks of an hour, with segments of 4 s. */
function dayOfBlocks(run) {
  const startMs = Math.floor(nowMs / 86_400_000) * 86_400_000 - 86_400_000;
  return Array.from({ length: 24 }, (_, hour) =>
    Array.from({ length: 900 }, (_, at) => {
      const number = hour * 900 + at;
      const name = `${startMs + number * 4_000}-${number}.ts`;
      return {
        name,
        startMs: startMs + number * 4_000,
        durationMs: 4_000,
        bytes: 2e6,
        run,
        number,
      };
    }),
  );
}

const query = `?pass=${'x'.repeat(400)}`;
const rounds = 25;
const dayMs = 86_400_000;
const elsewhere = 'http://node-b.example.net/ch1/~archive/v0/';

/** A whole day of this node's, or the second half of it from another one. */
function stretchesOf(isJoined, [own, other]) {
  const from = own[0][0].startMs;
  const half = from + dayMs / 2;
  if (!isJoined) return [{ startMs: from, endMs: from + dayMs, blocks: own, prefix: '' }];
  return [
    { startMs: from, endMs: half, blocks: own, prefix: '' },
    { startMs: half, endMs: from + dayMs, blocks: other, prefix: elsewhere },
  ];
}

function benchPlaylist(isJoined) {
  const [first, other, repeated] = [[], [], []];
  let body = new Uint8Array();
  for (let round = 0; round < rounds; round += 1) {
    const taken = stretchesOf(isJoined, [dayOfBlocks('a'), dayOfBlocks('b')]);
    const texts = new PeriodTexts();
    const answer = (key) => {
      const began = performance.now();
      body = withPass(texts.join(key, takeSegments(taken), { grows: false, node: 'a' }), query);
      return performance.now() - began;
    };
    first.push(answer('a'));
    other.push(answer('another period of the same'));
    repeated.push(answer('a'));
  }
  return { first: sorted(first), other: sorted(other), repeated: sorted(repeated), body };
}

/** A playlist of 23 h, and another hour of segments that come one after the other. */
function benchGrowing(isJoined) {
  const days = [dayOfBlocks('a'), dayOfBlocks('b')];
  const texts = new PeriodTexts();
  const times = [];
  const last = days[isJoined ? 1 : 0][23];
  for (let count = 1; count <= last.length; count += 1) {
    days[isJoined ? 1 : 0][23] = last.slice(0, count);
    const slices = takeSegments(stretchesOf(isJoined, days));
    const began = performance.now();
    texts.join('now', slices, { grows: true, node: 'a' });
    times.push((performance.now() - began) * 1_000);
  }
  return sorted(times);
}

/** What one would do instead: reads the text with m3u8-parser, and joins the lines of its segments, with passes elsewhere. */
function benchParser(body) {
  const text = Buffer.from(body).toString().replaceAll(query, '');
  const [parsing, joining] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    const parser = new Parser();
    parser.push(text);
    parser.end();
    const then = performance.now();
    const lines = parser.manifest.segments.map(
      ({ uri, duration }) =>
        `#EXTINF:${duration.toFixed(3)},\n${uri}${uri.startsWith('http') ? query : ''}\n`,
    );
    Buffer.from(`#EXTM3U\n${lines.join('')}#EXT-X-ENDLIST\n`);
    parsing.push(then - began);
    joining.push(performance.now() - then);
  }
  return { parsing: sorted(parsing), joining: sorted(joining) };
}

const sorted = (times) => times.sort((a, b) => a - b);
const at = (times, share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
const line = (work, times, unit = 'ms') => {
  const figures = [0, 0.5, 0.99].map((share) => `${at(times, share).toFixed(3)} ${unit}`);
  console.log(`| ${work} | ${figures.join(' | ')} |`);
};

console.log('| work | best | median | p99 |\n| --- | --- | --- | --- |');
line('the node for a period of 1 h, 500 x 5 x 1 000 ranges', benchPlacement(3_600_000));
line('the node for a period of 24 h', benchPlacement(dayMs));
for (const isJoined of [false, true]) {
  const { first, other, repeated, body } = benchPlaylist(isJoined);
  const what = `24 h, 21 600 segments${isJoined ? ', half elsewhere' : ''} (${Math.round(body.length / 1e3)} kB)`;
  line(`playlist of ${what}, first`, first);
  line('another period of the same segments', other);
  line('the first again', repeated);
  line('a segment more at the end of one that grows', benchGrowing(isJoined), 'us');
  const { parsing, joining } = benchParser(body);
  line('m3u8-parser reads the same', parsing);
  line('its segments joined to a playlist', joining);
}
console.log(`\nmemory: ${Math.round(process.memoryUsage().rss / 1e6)} MB resident`);
