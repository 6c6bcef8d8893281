import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeOrigin } from '../support/fake-origin-server.ts';
import { contentOf, createLiveRig, type LiveRig, textOf } from '../support/live-rig.ts';

let rig: LiveRig;
let origin: FakeOrigin;
const path = 'high/video.m3u8';

beforeEach(async () => {
  rig = createLiveRig();
  origin = await rig.origin({ partsPerSegment: 4, targetS: 2, container: 'fmp4' });
  rig.configure({ name: 'll', origin: origin.entry, group: 'll' });
  await rig.run(100);
});
afterEach(() => rig.close());

const reload = (query: string) => rig.live.blockingReload('ll', path, query, rig.clock.now());
const asked = () =>
  origin.requests.filter(({ path: at }) => at.endsWith(path)).map(({ query }) => query);

async function textAfter(query: string): Promise<string> {
  const found = await reload(query);
  if (found.kind === 'fault') throw new Error(found.reason);
  return textOf(found.bytes);
}

describe('an LL-HLS stream', () => {
  it('is known as such, and moves by parts', async () => {
    expect(rig.live.facts('ll')?.hls).toMatchObject({ lowLatency: true, container: 'fmp4' });
    for (let part = 0; part < 12; part++) {
      await rig.run(1000);
      expect(rig.air('ll')).toEqual({ onAir: true });
      origin.advancePart();
    }
    await rig.run(6000);
    expect(rig.air('ll')).toEqual({ onAir: false, reason: 'frozen' });
  });

  it('waits for a part at the origin, once for all who wait for the same', async () => {
    const before = asked().length;
    const waiting = Promise.all(
      Array.from({ length: 500 }, () => textAfter('_HLS_msn=11&_HLS_part=0')),
    );
    await expect.poll(() => asked().length).toBe(before + 1);
    expect(asked().at(-1)).toBe('_HLS_msn=11&_HLS_part=0');
    origin.advancePart();
    const texts = await waiting;
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('seg11.0.m4s');
    expect(textOf(rig.live.media('ll', path)?.bytes ?? new Uint8Array())).toBe(texts[0]);
  });

  it('answers at once with what is there already', async () => {
    const before = asked().length;
    expect(await textAfter('_HLS_msn=10')).toContain('seg10.m4s');
    expect(await textAfter('_HLS_msn=10&_HLS_part=3')).toContain('seg10.m4s');
    expect(await textAfter('')).toContain('seg10.m4s');
    expect(asked()).toHaveLength(before);
  });

  it('asks for the whole playlist whatever the viewer would skip, and sends none of its other parameters', async () => {
    const waiting = textAfter('a=b&_HLS_skip=YES&_HLS_msn=11&pass=x');
    await expect.poll(() => asked().at(-1)).toBe('_HLS_msn=11');
    origin.advance();
    expect(await waiting).toContain('seg11.m4s');
  });

  it.each([
    '_HLS_msn=x',
    '_HLS_msn=-1',
    '_HLS_msn=',
    '_HLS_part=1',
    '_HLS_msn=11&_HLS_part=x',
    '_HLS_msn=14',
    '_HLS_msn=99999999999999999',
  ])('refuses %s as malformed', async (query) =>
    expect(await reload(query)).toMatchObject({ reason: 'path-invalid' }),
  );

  it('is refused when the origin does not move in time', async () => {
    const startedAt = performance.now();
    expect(await reload('_HLS_msn=13')).toEqual({ kind: 'fault', reason: 'origin-timeout' });
    expect(performance.now() - startedAt).toBeGreaterThan(1900);
    expect(performance.now() - startedAt).toBeLessThan(4000);
  });

  it('does not look like a step back when an older answer comes later', async () => {
    const older = textOf(rig.live.media('ll', path)?.bytes ?? new Uint8Array());
    let answerSlowly = () => {};
    const isAsked = new Promise<void>((resolve) => {
      origin.route(`/live/ch1/${path}`, (request, response) => {
        if (request.url?.includes('_HLS_msn')) {
          response.end(older.replaceAll(/^(#EXT-X-PRELOAD)/gm, '#EXTINF:2,\nseg11.m4s\n$1'));
          return;
        }
        answerSlowly = () => response.end(older);
        resolve();
      });
    });
    rig.clock.advance(1000);
    const slow = rig.live.tick(rig.clock.now());
    await isAsked;
    expect(await textAfter('_HLS_msn=11')).toContain('seg11.m4s');
    answerSlowly();
    await slow;
    await rig.live.tick(rig.clock.now());
    expect(rig.air('ll')).toEqual({ onAir: true });
    expect(textOf(rig.live.media('ll', path)?.bytes ?? new Uint8Array())).toContain('seg11.m4s');
  });

  it('has its parts read once for everybody too', async () => {
    origin.advancePart();
    await textAfter('_HLS_msn=11&_HLS_part=0');
    await rig.run(1100);
    const open = async () =>
      contentOf(await rig.live.open('ll', 'high/seg11.0.m4s', '', undefined));
    await Promise.all(Array.from({ length: 200 }, open));
    expect(origin.count('seg11.0.m4s')).toBe(1);
  });

  it('knows no playlist by another name', async () => {
    const found = await rig.live.blockingReload('ll', 'x.m3u8', '_HLS_msn=11', rig.clock.now());
    expect(found).toMatchObject({ reason: 'not-found' });
  });
});
