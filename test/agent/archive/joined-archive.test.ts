import { describe, expect, it } from 'vitest';
import type { TimeRange } from '../../../src/core/archive/ranges.ts';
import { record } from '../../support/fake-archive.ts';
import { startGroup, urisOf } from '../../support/group-rig.ts';

const minuteMs = 60_000;

const part = (fromMs: number, from: number, to: number): TimeRange => ({
  startMs: fromMs + from * minuteMs,
  endMs: fromMs + to * minuteMs,
});

/** An hour of which each node has `minutes`, asked for at node A: the opening, and its first media playlist. */
async function joined(
  minutes: readonly (readonly (readonly [number, number])[])[],
  options: { run?: string; lost?: number; at?: number } = {},
) {
  const rig = await startGroup(minutes.length, () => ({ stream: { archive: { push: true } } }));
  const nowMs = rig.node(0).clock.now().wallMs;
  const fromMs = Math.floor(nowMs / minuteMs) * minuteMs - 120 * minuteMs;
  for (const [at, ranges] of minutes.entries())
    record(
      rig.node(at),
      ranges.map(([from, to]) => part(fromMs, from, to)),
      { ...(options.run && { run: options.run }), isLost: options.lost === at },
    );
  await rig.run(8_000, 1_000);
  const node = rig.node(options.at ?? 0);
  const fromS = fromMs / 1_000;
  const opened = await node.ask(`/ch1/index-${fromS}-3600.m3u8`);
  const multivariant = await opened.text();
  const [uri = ''] = urisOf(multivariant);
  const media = await node.ask(`/ch1/${uri}`);
  const playlist = await media.text();
  return { rig, fromS, opened, media, playlist, first: fromS / 6, uri, multivariant };
}

const numbers = (playlist: string) =>
  urisOf(playlist).map((uri) => Number(/(\d+)\.ts/.exec(uri)?.[1]));
const count = (text: string, part: string) => text.split(part).length - 1;

describe('one archive out of many', { timeout: 30_000 }, () => {
  it('has each piece from a node that has it, in the order of time, with passes for others', async () => {
    const { opened, playlist, first, rig } = await joined([[[0, 20]], [[20, 40]], [[40, 60]]]);
    expect(opened.status).toBe(200);
    expect(opened.headers.get('x-understudy-reason')).toBe('archive-joined');
    expect(opened.headers.get('x-understudy-missing-seconds')).toBe('0');
    expect(numbers(playlist)).toEqual(Array.from({ length: 600 }, (_, at) => first + at));
    const uris = urisOf(playlist);
    expect(uris[0]).toBe(`${first}.ts`);
    expect(uris[200]).toMatch(
      /^http:\/\/node-b\.example\.net\/ch1\/~archive\/high\/video\.m3u8\/\d+\.ts\?pass=/,
    );
    expect(uris[400]).toContain('http://node-c.example.net/');
    expect(count(playlist, '#EXT-X-DISCONTINUITY\n')).toBe(2);
    const segment = await rig.node(1).ask(uris[200] ?? '');
    expect(segment.status).toBe(200);
  });

  it('is the same from a node that has the end', async () => {
    const { playlist, first } = await joined([[[0, 20]], [[20, 60]]], { at: 1 });
    expect(numbers(playlist)).toEqual(Array.from({ length: 600 }, (_, at) => first + at));
    expect(urisOf(playlist)[0]).toContain('http://node-a.example.net/');
    expect(urisOf(playlist)[599]).toBe(`${first + 599}.ts`);
  });

  it('numbers discontinuities as no other node does: to players one number is one timeline', async () => {
    const numberAt = async (at: number) => {
      const { playlist } = await joined([[[0, 20]], [[20, 60]]], { at });
      return /#EXT-X-DISCONTINUITY-SEQUENCE:(\d+)\n/.exec(playlist)?.[1];
    };
    expect(await numberAt(0)).toMatch(/^\d+$/);
    expect(await numberAt(1)).toMatch(/^\d+$/);
    expect(await numberAt(1)).not.toBe(await numberAt(0));
  });

  it('has no discontinuity between members that publish the same segments', async () => {
    const { playlist, first } = await joined(
      [
        [
          [0, 20],
          [30, 60],
        ],
        [[15, 40]],
      ],
      { run: 'g1' },
    );
    expect(playlist).not.toContain('#EXT-X-DISCONTINUITY\n');
    expect(numbers(playlist)).toEqual(Array.from({ length: 600 }, (_, at) => first + at));
  });

  it('says what nobody has: lines for a short hole, a discontinuity for a long one', async () => {
    const short = await joined([[[0, 20]], [[20.1, 60]]]);
    expect(short.opened.headers.get('x-understudy-missing-seconds')).toBe('6');
    expect(count(short.playlist, '#EXT-X-GAP\n')).toBe(1);
    const long = await joined([[[0, 20]], [[25, 60]]]);
    expect(long.opened.headers.get('x-understudy-missing-seconds')).toBe('300');
    expect(long.media.headers.get('x-understudy-missing-seconds')).toBe('300');
    expect(long.playlist).not.toContain('EXT-X-GAP');
    expect(count(long.playlist, '#EXT-X-DISCONTINUITY\n')).toBe(1);
  });

  it('does without a node that does not tell its segments', async () => {
    const { rig, uri, first } = await joined([[[0, 20]], [[20, 40]], [[20, 60]]]);
    rig.node(2).kill();
    await rig.run(61_000, 1_000);
    const media = await rig.node(0).ask(`/ch1/${uri}`);
    expect(numbers(await media.text())).toEqual(Array.from({ length: 400 }, (_, at) => first + at));
  });

  it('is not made where one node has it all', async () => {
    const { opened } = await joined([[[0, 20]], [[0, 60]]]);
    expect(opened.status).toBe(302);
    expect(opened.headers.get('location')).toContain('http://node-b.example.net/');
  });

  it('names every node that takes part as a backup: each makes the same of it, in the same places', async () => {
    const clones = { run: 'g1' };
    const { rig, multivariant, playlist, first } = await joined([[[0, 40]], [[20, 60]]], clones);
    const backup = urisOf(multivariant).find((uri) => uri.startsWith('http://node-b.')) ?? '';
    const ask = async () => (await rig.node(1).ask(backup)).text();
    const sequence = `#EXT-X-MEDIA-SEQUENCE:${first}\n`;
    const there = await ask();
    expect(playlist).toContain(sequence);
    expect(there).toContain(sequence);
    expect(numbers(there)).toEqual(numbers(playlist));
    rig.node(0).kill();
    await rig.run(8_000, 1_000);
    const left = await ask();
    expect(left).toContain(sequence);
    expect(numbers(left).slice(200)).toEqual(numbers(playlist).slice(200));
    expect(count(left, '#EXT-X-GAP\n')).toBe(200);
  });
});

describe('one archive out of many that grows', { timeout: 30_000 }, () => {
  it('keeps every line it had, also when this node records again', async () => {
    const rig = await startGroup(2, () => ({ stream: { archive: { push: true } } }));
    const [own, other] = [rig.node(0), rig.node(1)];
    const fromMs = Math.floor(own.clock.now().wallMs / minuteMs) * minuteMs - 60 * minuteMs;
    let backMs = Infinity;
    const grow = async () => {
      const endMs = own.clock.now().wallMs;
      const first = part(fromMs, 0, 30);
      record(own, backMs < endMs ? [first, { startMs: backMs, endMs }] : [first]);
      record(other, [{ startMs: fromMs + 10 * minuteMs, endMs }]);
      await rig.run(7_000, 1_000);
    };
    await grow();
    const [uri] = urisOf(await (await own.ask(`/ch1/index-${fromMs / 1_000}-now.m3u8`)).text());
    let before = '';
    for (let times = 0; times < 12; times += 1) {
      if (times === 4) backMs = own.clock.now().wallMs;
      await grow();
      const playlist = await (await own.ask(`/ch1/${uri}`)).text();
      expect(playlist.startsWith(before)).toBe(true);
      before = playlist;
    }
    const last = urisOf(before);
    expect(last.at(-1)).not.toContain('http://');
    expect(last.some((one) => one.startsWith('http://node-b.'))).toBe(true);
    expect(count(before, '#EXT-X-DISCONTINUITY\n')).toBe(2);
  });
});

describe('a hole of 3 s in one recording', { timeout: 30_000 }, () => {
  it('is no fault: the period around it is served, and said to lack 3 s', async () => {
    const rig = await startGroup(1, () => ({ stream: { archive: { push: true } } }));
    const at = Math.floor(rig.node(0).clock.now().wallMs / minuteMs) * minuteMs - 60 * minuteMs;
    record(rig.node(0), [
      { startMs: at - 10 * minuteMs, endMs: at },
      { startMs: at + 3_000, endMs: at + 10 * minuteMs },
    ]);
    const path = `/ch1/index-${at / 1_000 - 300}-600.m3u8`;
    const opened = await rig.node(0).ask(path);
    expect(opened.status).toBe(200);
    expect(opened.headers.get('x-understudy-missing-seconds')).toBe('3');
    const [uri = ''] = urisOf(await opened.text());
    const media = await rig.node(0).ask(`/ch1/${uri}`);
    expect(media.status).toBe(200);
    expect(await media.text()).toContain('#EXT-X-GAP');
  });
});
