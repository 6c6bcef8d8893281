import { describe, expect, it } from 'vitest';
import { makeMultivariant } from '../../../src/core/playlist/make-multivariant.ts';
import { compileMultivariant } from '../../../src/core/playlist/multivariant.ts';
import { textOf } from './playlist-texts.ts';

describe('a made-up multivariant playlist', () => {
  const full = {
    uri: '~live.m3u8',
    bandwidth: 2_400_000.2,
    averageBandwidth: 2_000_000,
    codecs: 'avc1.4d401f,mp4a.40.2',
    resolution: '1280x720',
    frameRate: 30000 / 1001,
  };

  it('says all that was measured', () => {
    expect(textOf(makeMultivariant(full))).toBe(
      `#EXTM3U
#EXT-X-STREAM-INF:BANDWIDTH=2400001,AVERAGE-BANDWIDTH=2000000,CODECS="avc1.4d401f,mp4a.40.2",RESOLUTION=1280x720,FRAME-RATE=29.970
~live.m3u8
`,
    );
  });

  it('leaves out what is not known', () => {
    expect(textOf(makeMultivariant({ uri: '~live.m3u8', bandwidth: 1_000_000 }))).toBe(
      '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\n~live.m3u8\n',
    );
  });

  it('is a ladder of one rung that backups can be named for', () => {
    const template = compileMultivariant(makeMultivariant(full));
    expect(template?.noBackups).toBeUndefined();
    expect(template?.ladder.variants).toMatchObject([
      { uri: '~live.m3u8', bandwidth: 2_400_001, codecs: full.codecs, resolution: '1280x720' },
    ]);
  });
});
