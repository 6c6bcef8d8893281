import { describe, expect, it } from 'vitest';
import { readArchiveAddress } from '../../../src/core/archive/request-forms.ts';

/** 2026-11-15T12:00:00Z. */
const nowMs = 1_794_744_000_000;
const nowS = nowMs / 1_000;
const firstMs = nowMs - 24 * 3_600_000;
/** 2026-11-15T08:00:00Z and what stands for it. */
const fromS = nowS - 4 * 3_600;
const fromMs = fromS * 1_000;
const untilMs = fromMs + 3_600_000;

const read = (target: string, url?: string) => {
  const [rest = '', query = ''] = target.split('?', 2);
  return readArchiveAddress({ rest, query, nowMs, firstMs }, url);
};

type Row = readonly [url: string | undefined, target: string, from: number, until: number | 'now'];

const finite: readonly Row[] = [
  [undefined, `index-${fromS}-3600.m3u8`, fromMs, untilMs],
  [undefined, `archive-${fromS}-3600.m3u8`, fromMs, untilMs],
  [undefined, `any_name-${fromS}-3600.m3u8`, fromMs, untilMs],
  [undefined, `index-${fromS}-now.m3u8`, fromMs, 'now'],
  [undefined, `index-${fromS}-3600.mpd`, fromMs, untilMs],
  [undefined, `index-${fromS}-3600.fmp4.m3u8`, fromMs, untilMs],
  [undefined, `index.m3u8?start=${fromS}&end=${fromS + 3_600}`, fromMs, untilMs],
  [undefined, `index.m3u8?end=${fromS + 3_600}&start=${fromS}`, fromMs, untilMs],
  [undefined, `index.m3u8?start=${fromS}&duration=3600`, fromMs, untilMs],
  [undefined, `index.m3u8?start=${fromS}`, fromMs, 'now'],
  [undefined, `index.m3u8?start=${fromS}&end=now`, fromMs, 'now'],
  [undefined, 'index.m3u8?start=-600', nowMs - 600_000, 'now'],
  [undefined, 'index.m3u8?start=2026-11-15T08:00:00Z&end=2026-11-15T09:00:00Z', fromMs, untilMs],
  [
    undefined,
    'index.m3u8?start=2026-11-15T08%3A00%3A00Z&end=2026-11-15T11%3A00%3A00%2B02:00',
    fromMs,
    untilMs,
  ],
  [
    undefined,
    'manifest.mpd?start=2026-11-15T11:00:00+03:00&end=2026-11-15T09:00:00.000Z',
    fromMs,
    untilMs,
  ],
  [undefined, `index.m3u8?utc=${fromS}&lutc=${nowS}`, fromMs, 'now'],
  [undefined, `index.m3u8?utc=${fromS}&lutc=${fromS + 3_600}`, fromMs, untilMs],
  [undefined, `index.m3u8?utc=${fromS}`, fromMs, 'now'],
  ['flussonic', `archive-${fromS}-3600.m3u8`, fromMs, untilMs],
  ['flussonic', `archive-${fromS}-now.m3u8`, fromMs, 'now'],
  ['flussonic', `archive-${fromS}-3600.ts.m3u8`, fromMs, untilMs],
  ['flussonic', `archive-${fromS}-3600.fmp4.m3u8`, fromMs, untilMs],
  ['flussonic', `index-${fromS}-3600.m3u8?token=a`, fromMs, untilMs],
  ['flussonic', `video-${fromS}-3600.m3u8`, fromMs, untilMs],
  ['flussonic', 'index-timeshift_rel-14400.m3u8', fromMs, 'now'],
  ['flussonic', `video-timeshift_abs-${fromS}.m3u8`, fromMs, 'now'],
  ['flussonic', `mono-${fromS}-now.m3u8`, fromMs, 'now'],
  ['flussonic', `archive-${fromS}-3600.mpd`, fromMs, untilMs],
  ['flussonic', `timeshift_abs-${fromS}.m3u8`, fromMs, 'now'],
  ['flussonic', 'timeshift_rel-14400.m3u8', fromMs, 'now'],
  ['flussonic', 'mono-timeshift_rel-14400.m3u8', fromMs, 'now'],
  ['flussonic', 'rewind-600.m3u8', nowMs - 600_000, 'now'],
  ['nimble', `playlist_dvr_range-${fromS}-3600.m3u8`, fromMs, untilMs],
  ['nimble', `playlist_fmp4_dvr_range-${fromS}-now.m3u8`, fromMs, 'now'],
  ['nimble', `manifest_dvr_range-${fromS}-3600.mpd`, fromMs, untilMs],
  ['nimble', 'playlist_dvr_timeshift-600.m3u8', nowMs - 600_000, 'now'],
  ['nimble', 'playlist_dvr_timeshift-0-600.m3u8', nowMs - 600_000, 'now'],
  ['nimble', 'playlist_dvr_timeshift-200-400.m3u8', nowMs - 600_000, 'now'],
  ['nimble', 'playlist_fmp4_dvr_timeshift-600.m3u8', nowMs - 600_000, 'now'],
  ['nimble', 'playlist_fmp4_dvr.m3u8?nimblesessionid=1', firstMs, 'now'],
  ['nimble', 'playlist_dvr.m3u8', firstMs, 'now'],
  ['wowza', 'playlist.m3u8?DVR', firstMs, 'now'],
  [
    'wowza',
    'playlist.m3u8?DVR&wowzadvrplayliststart=20261115080000&wowzadvrplaylistduration=3600000',
    fromMs,
    untilMs,
  ],
  ['wowza', 'manifest.mpd?DVR&wowzadvrplayliststart=2026-11-15-08:00:00', fromMs, 'now'],
  [
    'wowza',
    'playlist.m3u8?DVR&wowzadvrplayliststart=2026-11-15-08:00:00&wowzadvrplaylistduration=3600000',
    fromMs,
    untilMs,
  ],
  ['wowza', 'manifest.mpd?DVR', firstMs, 'now'],
  ['wowza', 'playlist.m3u8?DVR&wowzadvrplayliststart=60000', firstMs + 60_000, 'now'],
  ['mediapackage', `other.m3u8?start=${fromS}&end=2026-11-15T09:00:00Z`, fromMs, untilMs],
  [
    'mediapackage',
    `index.m3u8?aws.manifestsettings=start:${fromS};end:${fromS + 3_600}`,
    fromMs,
    untilMs,
  ],
  ['mediapackage', 'index.m3u8?aws.manifestsettings=start:2026-11-15T08%3A00%3A00Z', fromMs, 'now'],
  ['mediapackage', 'index.m3u8?aws.manifestsettings=time_delay:14400', fromMs, 'now'],
  [
    'mediapackage',
    `x.mpd?aws.manifestsettings=start:${fromS};end:${fromS + 3_600};clip_start_time:${fromS}`,
    fromMs,
    untilMs,
  ],
  ['mediapackage', 'index.m3u8?start=2026-11-15T08:00:00+00:00', fromMs, 'now'],
  ['unified', `x.m3u8?vbegin=${fromS}&vend=${fromS + 3_600}`, fromMs, untilMs],
  ['unified', '.m3u8?vbegin=2026-11-15T08:00:00Z', fromMs, 'now'],
  ['unified', 'x.mpd?time_shift=14400', fromMs, 'now'],
  ['unified', `.mpd?vbegin=${fromS}&vend=2026-11-15T09:00:00Z`, fromMs, untilMs],
  ['shift', `playlist.m3u8?utc=${fromS}&lutc=${nowS}`, fromMs, 'now'],
  ['xc', 'timeshift/user/word/60/2026-11-15:08-00/17.m3u8', fromMs, untilMs],
  ['dvr/{start}-{duration}.m3u8', `dvr/${fromS}-3600.m3u8`, fromMs, untilMs],
  ['dvr/$' + '{start}/$' + '{end}.m3u8', `dvr/${fromS}/${fromS + 3_600}.m3u8`, fromMs, untilMs],
  [
    'a.m3u8?from={utc}&to={utcend}',
    `a.m3u8?to=${fromS + 3_600}&x=1&from=${fromS}`,
    fromMs,
    untilMs,
  ],
  ['a-{offset:60}.m3u8', 'a-240.m3u8', fromMs, 'now'],
  ['{Y}/{m}/{d}/{H}-{M}/{duration:60}.m3u8', '2026/11/15/08-00/60.m3u8', fromMs, untilMs],
  ['dvr-{utc:YmdHMS}.m3u8', 'dvr-20261115080000.m3u8', fromMs, 'now'],
  ['{Y}-{m}-{d}_{H}{M}{S}.m3u8', '2026-11-15_080000.m3u8', fromMs, 'now'],
  ['a.m3u8?utc={utc}&lutc={lutc}', `a.m3u8?utc=${fromS}&lutc=${nowS}`, fromMs, 'now'],
  [
    'a.m3u8?s=$' + '{start}&t=$' + '{timestamp}&l=$' + '{duration}',
    `a.m3u8?s=${fromS}&t=${nowS}&l=3600`,
    fromMs,
    untilMs,
  ],
  // Akamai MSL, Aliyun Live, Cesbo Alta.
  [
    'master-archive.m3u8?startTime={utc}&endTime={utcend}',
    `master-archive.m3u8?startTime=${fromS}&endTime=${fromS + 3_600}`,
    fromMs,
    untilMs,
  ],
  [
    's.m3u8?lhs_start=1&lhs_start_unix_s_0={utc}&lhs_vodend_unix_s_0={utcend}',
    `s.m3u8?auth_key=x&lhs_start=1&lhs_start_unix_s_0=${fromS}&lhs_vodend_unix_s_0=${fromS + 3_600}`,
    fromMs,
    untilMs,
  ],
  [undefined, 'index.m3u8?start=-14400&token=a', fromMs, 'now'],
];

describe('archive addresses', () => {
  it.each(finite)('of %s: %s', (url, target, from, until) => {
    expect(read(target, url)?.wish).toEqual({ fromMs: from, until });
  });

  it.each([
    [undefined, 'index.m3u8'],
    [undefined, 'index.m3u8?end=1794729600'],
    [undefined, 'v0/index.m3u8?start=1794729600'],
    [undefined, 'v0/index-1794729600-3600.m3u8'],
    [undefined, 'segment-1794729600-6.ts'],
    [undefined, 'chunk-12345678-6.m3u8'],
    [undefined, 'media-5-6.m3u8'],
    [undefined, `index.m3u8?utc=${nowS - 30}&lutc=${nowS}`],
    [undefined, `index.m3u8?utc=${nowS}`],
    ['nimble', 'chunks_dvr_range-1794729600-3600.m3u8?nimblesessionid=1'],
    ['wowza', 'playlist.m3u8'],
    ['wowza', 'media_w1_DVR_2.ts?DVR'],
    ['unified', 'x.m3u8?dvr_window_length=600'],
    ['xc', 'timeshift/user/word/60/2026-11-15:08-00/17.ts'],
    ['mediapackage', 'index.m3u8?aws.manifestsettings=manifest_window_seconds:60'],
    ['dvr/{start}.m3u8', 'dvr/x/1794729600.m3u8'],
    ['a.m3u8?from={utc}', 'a.m3u8?to=1'],
  ])('are none, of %s: %s', (url, target) => {
    expect(read(target, url)).toBeUndefined();
  });

  it('with `utc` are of the archive from more than 30 s behind on', () => {
    expect(read(`index.m3u8?utc=${nowS - 30}&lutc=${nowS}`)).toBeUndefined();
    expect(read(`index.m3u8?utc=${nowS - 31}&lutc=${nowS}`)).toBeDefined();
  });

  it.each([
    ['index-now-3600.m3u8', undefined],
    ['archive-abc-3600.m3u8', undefined],
    ['index.m3u8?start=yesterday', undefined],
    ['index.m3u8?start=2026-02-30T00:00:00Z', undefined],
    ['index.m3u8?start=2026-11-15T24:00:00Z', undefined],
    ['index.m3u8?start=', undefined],
    ['index.m3u8?start=1e9&end=2e9', undefined],
    ['index.m3u8?start=0x10', undefined],
    ['index.m3u8?start=%E0%A4%A', undefined],
    ['index.m3u8?utc=%00', undefined],
    ['timeshift_rel-abc.m3u8', 'flussonic'],
    ['playlist.m3u8?DVR&wowzadvrplayliststart=20261315080000', 'wowza'],
    ['timeshift/u/p/60/2026-02-31:08-00/17.m3u8', 'xc'],
    ['{start}.m3u8'.replace('{start}', 'abc'), '{start}.m3u8'],
  ])('without a time are malformed, not live: %s', (target, url) => {
    expect(read(target, url)?.wish.fromMs).toBeNaN();
  });

  it('say the protocol, the container, and keep the rest of the query', () => {
    expect(read(`index-${fromS}-60.fmp4.m3u8?a=1&b=2`)).toMatchObject({
      protocol: 'hls',
      container: 'fmp4',
      query: 'a=1&b=2',
    });
    expect(read(`manifest.mpd?x=%20&start=${fromS}&end=now&y`)).toMatchObject({
      protocol: 'dash',
      query: 'x=%20&y',
    });
  });
});
