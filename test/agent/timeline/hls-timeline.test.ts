import { expect, it } from 'vitest';
import type { LivePlaylist } from '../../../src/agent/live-playlist.ts';
import { HlsTimeline } from '../../../src/agent/timeline/hls-timeline.ts';
import type { StreamTimeline } from '../../../src/agent/timeline/stream-timeline.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

it('an entry that is read again and names the same playlists is no packager that began anew', () => {
  const begun: number[] = [];
  const timeline = { setRungs: (count: number) => begun.push(count) };
  const deps = { clock: createVirtualClock(), pause: async () => {} };
  const hls = new HlsTimeline(timeline as unknown as StreamTimeline, {
    ...deps,
    origin: {} as never,
  });
  const [low, high] = [{} as LivePlaylist, {} as LivePlaylist];
  hls.update([low, high]);
  hls.update([low, high]);
  expect(begun).toEqual([2]);
  hls.update([high, low]);
  hls.update([high]);
  expect(begun).toEqual([2, 2, 1]);
});
