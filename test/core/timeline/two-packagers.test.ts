import { createHash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { cutAll, foundBy, joinBy } from '../../support/canonical.ts';
import { hasFfmpeg } from '../../support/ffmpeg-clips.ts';
import {
  hasGstreamer,
  makeSource,
  type PackagerOptions,
  packageSource,
  readFolder,
  type SourceOptions,
  x264,
} from '../../support/recordings.ts';

vi.setConfig({ testTimeout: 120_000 });

const gop = ['-g', '25', '-keyint_min', '25'];
const noB = [...x264, '-tune', 'zerolatency', ...gop];
const withB = [...x264, '-bf', '2', ...gop];
const hevc = [
  ...['-c:v', 'libx265', '-preset', 'ultrafast'],
  ...['-x265-params', 'keyint=25:min-keyint=25:scenecut=0:log-level=none:pools=1:frame-threads=1'],
];
const later: PackagerOptions = { keepsTimes: false, segmentS: 4, joinsAt: 0.3 };

type Row = {
  readonly name: string;
  readonly source: SourceOptions;
  readonly b?: PackagerOptions;
};

const rows: readonly Row[] = [
  { name: 'no B-frames', source: { video: noB } },
  { name: 'B-frames', source: { video: withB } },
  {
    name: 'open GOP',
    source: { video: [...withB, '-flags', '-cgop', '-x264-params', 'open-gop=1'] },
  },
  { name: 'HEVC', source: { video: hevc } },
  { name: '44.1 kHz', source: { video: noB, sound: 'sine=f=440:b=4:r=44100' } },
  { name: '29.97 fps', source: { video: withB, rate: '30000/1001' } },
  { name: 'across the wrap of PTS', source: { video: withB, startS: 95_433.7 } },
  { name: '6 s segments', source: { video: noB }, b: { ...later, segmentS: 6 } },
  { name: 'one fed through MP4', source: { video: withB }, b: { ...later, through: 'mp4' } },
  { name: 'one fed through FLV', source: { video: withB }, b: { ...later, through: 'flv' } },
  {
    name: 'one fed through FLV at 29.97 fps and 44.1 kHz',
    source: { video: noB, rate: '30000/1001', sound: 'sine=f=440:b=4:r=44100' },
    b: { ...later, through: 'flv' },
  },
  {
    name: 'one fed through Matroska at 29.97 fps',
    source: { video: withB, rate: '30000/1001' },
    b: { ...later, through: 'mkv' },
  },
  ...(hasGstreamer
    ? [{ name: 'one by GStreamer', source: { video: withB }, b: { ...later, byGstreamer: true } }]
    : []),
  { name: 'one in fMP4', source: { video: withB }, b: { ...later, type: 'fmp4' } },
  { name: 'AC-3', source: { video: noB, audio: ['-c:a', 'ac3'] } },
  { name: 'E-AC-3', source: { video: noB, audio: ['-c:a', 'eac3'] } },
  { name: 'MP2', source: { video: noB, audio: ['-c:a', 'mp2'] } },
  { name: 'MPEG-2 video', source: { video: ['-c:v', 'mpeg2video', '-g', '25', '-bf', '2'] } },
];

describe.skipIf(!hasFfmpeg)('two packagers of one source', () => {
  for (const { name, source: options, b = later } of rows) {
    it(`give the same bytes under the same numbers: ${name}`, async () => {
      const id = name.replaceAll(/\W/g, '-');
      const source = await makeSource(id, options);
      const folderA = await packageSource(source, `${id}-a`, { keepsTimes: true, segmentS: 2 });
      const folderB = await packageSource(source, `${id}-b`, b);
      const readingsA = readFolder(folderA);
      const readingsB = readFolder(folderB);
      const first = foundBy(readingsA);
      const segmentsA = cutAll(readingsA, first);
      const segmentsB = cutAll(readingsB, joinBy(readingsB, first, readingsA));
      const common = [...segmentsB.keys()].filter((number) => segmentsA.has(number));
      expect(common.length).toBeGreaterThanOrEqual(5);
      expect(common.every((number) => (segmentsA.get(number)?.bytes.length ?? 0) > 0)).toBe(true);
      const listed = (segments: typeof segmentsA) =>
        common.map((number) => {
          const { bytes, durationTicks } = segments.get(number) ?? {};
          const sha = createHash('sha256')
            .update(bytes ?? '')
            .digest('hex');
          return { number, sha, durationTicks, length: bytes?.length };
        });
      expect(listed(segmentsB)).toEqual(listed(segmentsA));
    });
  }
});
