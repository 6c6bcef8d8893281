import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeOrigin } from '../support/fake-origin-server.ts';
import { contentOf, createLiveRig, type LiveRig } from '../support/live-rig.ts';

const onAir = { onAir: true };
const off = (reason: string) => ({ onAir: false, reason });
let rig: LiveRig;
let origin: FakeOrigin;
let mpd: { text: string; status: number };

beforeEach(async () => {
  rig = createLiveRig();
  origin = await rig.origin();
  mpd = { text: listed(1), status: 200 };
  for (const path of ['/dash/ch1/x.mpd', '/live/ch1/x.mpd'])
    origin.route(path, (_, response) => response.writeHead(mpd.status).end(mpd.text));
});
afterEach(() => rig.close());

/** A live MPD that lists its segments, changing with `number`. */
function listed(number: number): string {
  return `<MPD type="dynamic" maxSegmentDuration="PT2S"><Period><SegmentTimeline><S t="${number}"/></SegmentTimeline></Period></MPD>`;
}

function configure(stream: { hls?: boolean; dash?: string; group?: string }) {
  const { hls = true, dash = '/dash/ch1/x.mpd', group } = stream;
  rig.configure({
    name: 'ch1',
    dash: origin.base + dash,
    ...(hls && { origin: origin.entry }),
    ...(group !== undefined && { group }),
  });
}

const air = () => rig.live.facts('ch1')?.dash?.air;
const fetched = async (rest: string) => contentOf(await rig.live.open('ch1', rest, '', undefined));

describe('a stream with an MPD', () => {
  it('of another folder has its files below ~dash/', async () => {
    configure({ group: 'g' });
    await rig.run(100);
    expect(rig.live.mpd('ch1')).toMatchObject({ kind: 'mpd', contentType: 'application/dash+xml' });
    expect(rig.live.mpd('ch1')?.text).toContain('<BaseURL>~dash/</BaseURL>');
    expect(await fetched('~dash/v/1.m4s')).toContain('/dash/ch1/v/1.m4s');
    expect(await fetched('v/1.ts')).toContain('/live/ch1/v/1.ts');
    expect(await fetched('~dash/../v/1.m4s')).toMatchObject({ reason: 'path-invalid' });
  });

  it('beside its HLS entry has them at the top, and so has one without HLS', async () => {
    configure({ dash: '/live/ch1/x.mpd', group: 'g' });
    await rig.run(100);
    expect(rig.live.mpd('ch1')?.text).toBe(mpd.text);
    configure({ hls: false, group: 'g' });
    await rig.run(100);
    expect(rig.live.mpd('ch1')?.text).toBe(mpd.text);
    expect(await fetched('v/1.m4s')).toContain('/dash/ch1/v/1.m4s');
    expect(rig.live.facts('ch1')?.hls).toBeUndefined();
  });

  it('outside of any group is read when loaded, once for everybody', async () => {
    configure({});
    await rig.run(1000);
    expect(origin.count('x.mpd')).toBe(0);
    const now = rig.clock.now();
    const loads = Array.from({ length: 100 }, () => rig.live.load('ch1', 'mpd', now));
    expect((await Promise.all(loads))[99]).toMatchObject({ kind: 'mpd' });
    expect(origin.count('x.mpd')).toBe(1);
    expect(air()).toEqual(onAir);
    await rig.run(32_000);
    expect(rig.live.mpd('ch1')).toBeUndefined();
    expect(air()).toEqual(off('starting'));
  });

  it('that lists its segments stands still when its text does', async () => {
    configure({ group: 'g' });
    await rig.run(100);
    for (let number = 2; number < 5; number++) {
      mpd.text = listed(number);
      await rig.run(2000);
      expect(air()).toEqual(onAir);
    }
    await rig.run(3000);
    expect(air()).toEqual(off('frozen'));
    mpd.text = listed(9);
    await rig.run(1100);
    expect(air()).toEqual(onAir);
  });

  it('that counts its segments need not change', async () => {
    mpd.text = '<MPD type="dynamic"><Period/></MPD>';
    configure({ group: 'g' });
    await rig.run(20_000);
    expect(air()).toEqual(onAir);
  });

  it.each([
    ['<MPD type="static"><Period/></MPD>', 200, 'ended'],
    ['<html></html>', 200, 'playlist-invalid'],
    ['gone', 404, 'origin-status'],
    ['oops', 500, 'origin-status'],
  ])('is off air with %s, status %d', async (text, status, reason) => {
    configure({ group: 'g' });
    await rig.run(100);
    mpd = { text, status };
    await rig.run(2200);
    expect(air()).toEqual(off(reason));
    expect(await rig.live.load('ch1', 'mpd', rig.clock.now())).toMatchObject(
      reason === 'ended' ? { kind: 'mpd' } : { reason },
    );
  });
});
