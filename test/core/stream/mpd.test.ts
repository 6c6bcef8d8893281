import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { locationPlace, readMpd, rebaseMpd, withLocation } from '../../../src/core/stream/mpd.ts';
import { type OriginPlace, originPlace } from '../../../src/core/stream/origin-paths.ts';

const entry = 'http://o:8000/dash/ch1/manifest.mpd';

function placeOf(text: string): OriginPlace {
  const place = originPlace(text, 'manifest.mpd');
  if (place === undefined) throw new Error('no entry');
  return place;
}

function rebase(text: string, where: { prefix?: string; url?: string } = {}): string {
  const mpd = readMpd(text);
  if (mpd === undefined) throw new Error('no MPD');
  return rebaseMpd(text, mpd, { place: placeOf(entry), url: entry, prefix: '~dash/', ...where });
}

describe('an MPD', () => {
  it.each([
    ['<MPD type="dynamic" maxSegmentDuration="PT2.5S"><SegmentTimeline/></MPD>', true, 2500],
    [
      "<?xml version='1.0'?>\n<!-- <MPD type=\"static\"> -->\n<MPD\n type = 'dynamic' a='>'></MPD>",
      true,
      undefined,
    ],
    ['\uFEFF<MPD type="dynamic" maxSegmentDuration="PT2S"></MPD>', true, undefined],
    ['<MPD maxSegmentDuration="P0Y0M0DT0H1M2S"><SegmentTimeline/></MPD>', false, undefined],
    ['<MPD type="dynamic" maxSegmentDuration="PT1M2S"><SegmentTimeline/></MPD>', true, 62_000],
    ['<MPD type="dynamic" maxSegmentDuration="soon"><SegmentTimeline/></MPD>', true, undefined],
  ])('%s', (text, isDynamic, segmentDurationMsMax) =>
    expect(readMpd(text)).toMatchObject({ isDynamic, segmentDurationMsMax }),
  );

  it.each([
    '',
    '#EXTM3U',
    '<html><MPD></MPD></html>',
    '<MPD/>',
    '<MPDX></MPDX>',
    '<!-- <MPD> -->',
    '<MPD "',
  ])('is not %j', (text) => expect(readMpd(text)).toBeUndefined());

  it.each(['<!--', '<MPD ', '<![CDATA[', '<!---->', '<?', '<MPD a="'])(
    'is read in time when it is a million times %s',
    (part) => {
      const startedAt = performance.now();
      readMpd(part.repeat(500_000));
      expect(performance.now() - startedAt).toBeLessThan(2000);
    },
  );
});

describe('an MPD in another folder than the HLS entry', () => {
  it('gets a BaseURL, after the program information and nowhere else', () => {
    expect(rebase('<MPD a="1">\n<Period/></MPD>')).toBe(
      '<MPD a="1"><BaseURL>~dash/</BaseURL>\n<Period/></MPD>',
    );
    expect(rebase('<MPD><ProgramInformation><Title/></ProgramInformation>\n<Period/></MPD>')).toBe(
      '<MPD><ProgramInformation><Title/></ProgramInformation><BaseURL>~dash/</BaseURL>\n<Period/></MPD>',
    );
    expect(
      rebase('<MPD><!-- <BaseURL>x/</BaseURL> --><Period><BaseURL>y/</BaseURL></Period></MPD>'),
    ).toBe(
      '<MPD><BaseURL>~dash/</BaseURL><!-- <BaseURL>x/</BaseURL> --><Period><BaseURL>y/</BaseURL></Period></MPD>',
    );
  });

  it('has the BaseURLs that it has moved, and those of others left alone', () => {
    const text = `<MPD><BaseURL a="b">video/</BaseURL><BaseURL>
      http://o:8000/dash/ch1/a&amp;b/</BaseURL><BaseURL>http://cdn/x/</BaseURL><Period/></MPD>`;
    expect(rebase(text)).toBe(
      '<MPD><BaseURL a="b">~dash/video/</BaseURL><BaseURL>~dash/a&amp;b/</BaseURL><BaseURL>http://cdn/x/</BaseURL><Period/></MPD>',
    );
  });

  it('keeps viewers here when it says where to reload', () => {
    const text =
      '<MPD><Location>http://o:8000/dash/ch1/manifest.mpd?s=1</Location><Location>http://p/m.mpd</Location></MPD>';
    expect(rebase(text, { prefix: '' })).toBe(
      '<MPD><Location>manifest.mpd</Location><Location>http://p/m.mpd</Location></MPD>',
    );
  });

  it('is followed where its origin redirected', () => {
    expect(
      rebase('<MPD><Period/></MPD>', { url: 'http://o:8000/dash/ch1/v2/manifest.mpd?s=1' }),
    ).toBe('<MPD><BaseURL>~dash/v2/</BaseURL><Period/></MPD>');
  });
});

it('in the folder of the HLS entry stays as it is', () => {
  const text = '<MPD><BaseURL>./video/</BaseURL><Period/></MPD>';
  expect(rebase(text, { prefix: '' })).toBe('<MPD><BaseURL>video/</BaseURL><Period/></MPD>');
  expect(rebase('<MPD>\r\n<Period/></MPD>', { prefix: '' })).toBe('<MPD>\r\n<Period/></MPD>');
});

const corpus = new URL('../../../../shared/corpus/dash/', import.meta.url);
it.skipIf(!existsSync(corpus))(
  'of real packagers gains one BaseURL and loses nothing (needs ../shared/corpus/dash)',
  () => {
    for (const name of readdirSync(corpus)) {
      const text = readFileSync(new URL(name, corpus), 'utf8');
      if (/<(BaseURL|Location)/.test(text)) continue;
      expect(readMpd(text), name).toBeDefined();
      const rebased = rebase(text);
      expect(rebased.replace('<BaseURL>~dash/</BaseURL>', ''), name).toBe(text);
      expect(rebased, name).not.toBe(text);
    }
  },
);

describe('the Location of an MPD for a viewer that was sent here', () => {
  const url = 'http://b:8080/ch1/manifest.mpd?x=1&pass=p';
  const value = 'http://b:8080/ch1/manifest.mpd?x=1&amp;pass=p';
  const placeIn = (text: string) => {
    const mpd = readMpd(text);
    return mpd && locationPlace(text, mpd);
  };
  const live = (head: string) => `<MPD type="dynamic">${head}<Period/></MPD>`;

  it.each([
    ['', `<Location>${value}</Location>`],
    ['<BaseURL>./</BaseURL>', `<BaseURL>./</BaseURL><Location>${value}</Location>`],
    [
      '<ProgramInformation/><BaseURL>./</BaseURL><BaseURL>x/</BaseURL><Metrics/>',
      `<ProgramInformation/><BaseURL>./</BaseURL><BaseURL>x/</BaseURL><Location>${value}</Location><Metrics/>`,
    ],
    [
      '<!-- <Location>a</Location> -->',
      `<Location>${value}</Location><!-- <Location>a</Location> -->`,
    ],
    ['<Location a="1">manifest.mpd</Location>', `<Location a="1">${value}</Location>`],
    ['<Location></Location>', `<Location>${value}</Location>`],
  ])('of %s makes %s', (before, after) => {
    const text = live(before);
    const place = placeIn(text);
    expect(place && withLocation(text, place, url)).toBe(live(after));
  });

  it('is left out where the MPD is not asked for again', () => {
    expect(placeIn('<MPD type="static"><Period/></MPD>')).toBeUndefined();
  });

  it('is none of a Location within a period', () => {
    const text = '<MPD type="dynamic"><Period><Location>a</Location></Period></MPD>';
    expect(placeIn(text)).toEqual({ from: 20, to: 20, isValue: false });
  });
});
