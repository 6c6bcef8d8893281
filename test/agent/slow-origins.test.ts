import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeOrigin } from '../support/fake-origin-server.ts';
import { createLiveRig, type LiveRig } from '../support/live-rig.ts';

const timedOut = { kind: 'fault', reason: 'origin-timeout' };
let rig: LiveRig;
let origin: FakeOrigin;

beforeEach(async () => {
  rig = createLiveRig();
  origin = await rig.origin({ knobs: { hang: true } });
});
afterEach(() => rig.close());

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** What a request has come to after `ms` of its clock; undefined: it waits. */
async function cameTo<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  rig.clock.advance(ms);
  await settled();
  return Promise.race([work, settled().then(() => undefined)]);
}

describe('an origin that hangs', () => {
  it.each(['entry', 'mpd', 'high/video.m3u8'])(
    'is waited for 1 s when it is asked for %s, no longer',
    async (what) => {
      rig.configure({ name: 'ch1', origin: origin.entry, dash: origin.entry });
      const loaded = rig.live.load('ch1', what, rig.clock.now());
      expect(await cameTo(999, loaded)).toBeUndefined();
      expect(await cameTo(1, loaded)).toMatchObject(timedOut);
    },
  );

  it('is waited for 1 s from the request on, however long somebody else has waited', async () => {
    rig.configure({ name: 'ch1', origin: origin.entry });
    const now = rig.clock.now();
    const first = rig.live.load('ch1', 'entry', now);
    rig.clock.advance(600);
    const second = rig.live.load('ch1', 'entry', rig.clock.now());
    expect(await cameTo(400, first)).toMatchObject(timedOut);
    expect(await cameTo(599, second)).toBeUndefined();
    expect(await cameTo(1, second)).toMatchObject(timedOut);
  });

  it('has no second for each of its steps', async () => {
    // A media playlist as the entry: it is read, then a segment of it so that a multivariant playlist can be made up.
    origin.channel.rungs = [];
    origin.knobs.hang = false;
    origin.knobs.firstByteDelayMs = 600_000;
    rig.configure({ name: 'ch1', origin: origin.entry });
    const now = rig.clock.now();
    const loaded = rig.live.load('ch1', 'entry', now);
    while (origin.count('.ts') === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await cameTo(999, loaded)).toBeUndefined();
    expect(await cameTo(1, loaded)).toMatchObject(timedOut);
  });

  it('is waited for 2 s when it is asked for anything else', async () => {
    rig.configure({ name: 'ch1', origin: origin.entry });
    const opened = rig.live.open('ch1', 'high/seg10.ts', '', undefined);
    expect(await cameTo(1_999, opened)).toBeUndefined();
    expect(await cameTo(1, opened)).toMatchObject(timedOut);
  });

  it('hangs nobody who comes for what is in memory', async () => {
    origin.knobs.hang = false;
    rig.configure({ name: 'ch1', origin: origin.entry, group: 'ch1' });
    await rig.run(200);
    await rig.live.open('ch1', 'high/seg10.ts', '', undefined);
    origin.knobs.hang = true;
    // No time passes at all.
    expect(rig.live.entry('ch1')).toBeDefined();
    expect(rig.live.media('ch1', 'high/video.m3u8')).toBeDefined();
    const stored = await rig.live.open('ch1', 'high/seg10.ts', '', undefined);
    expect(stored.kind).not.toBe('fault');
  });
});
