import { formatDateTime } from '../playlist/program-date-time.ts';
import type { OriginPlace } from '../stream/origin-paths.ts';
import type { ArchiveUrlForm } from './archive-config.ts';
import { type Period, periodName } from './period.ts';
import { writePattern } from './url-pattern.ts';

/** Where a period is asked for at a media server; its entry stands in `place`. */
type Asked = {
  readonly place: OriginPlace;
  readonly protocol: 'hls' | 'dash';
  readonly period: Period;
  readonly nowMs: number;
};

/**
 * The media server's own address of a period, in the form that `url` (`ArchiveConfig.url`) says. Below the entry's folder,
 * or its host for `xc`; the entry's own query (an access key, as a rule) is kept. Undefined where that form has no such
 * address: `xc` has no MPD.
 */
export function originPeriodUrl(url: string, asked: Asked): string | undefined {
  const target = Object.hasOwn(writers, url)
    ? writers[url as ArchiveUrlForm](asked)
    : asked.place.folder + writePattern(url, asked.period, asked.nowMs);
  if (target === undefined || !URL.canParse(target)) return undefined;
  const ownQuery = new URL(asked.place.entry).search.slice(1);
  const joined = ownQuery === '' ? '' : `${target.includes('?') ? '&' : '?'}${ownQuery}`;
  const { href } = new URL(target + joined);
  return href.startsWith(asked.place.root) ? href : undefined;
}

const writers: Readonly<Record<ArchiveUrlForm, (asked: Asked) => string | undefined>> = {
  flussonic: ({ place, protocol, period }) =>
    `${place.folder}archive-${periodName(period)}.${protocol === 'dash' ? 'mpd' : 'm3u8'}`,
  nimble: ({ place, protocol, period }) =>
    protocol === 'dash'
      ? `${place.folder}manifest_dvr_range-${periodName(period)}.mpd`
      : `${place.folder}playlist_dvr_range-${periodName(period)}.m3u8`,
  wowza: ({ place, period: { startMs, endMs, grows } }) => {
    const start = formatDateTime(startMs).replace(/\D/g, '').slice(0, 14);
    const duration = grows ? '' : `&wowzadvrplaylistduration=${endMs - startMs}`;
    return `${bareEntry(place)}?DVR&wowzadvrplayliststart=${start}${duration}`;
  },
  mediapackage: (asked) => fromTo(asked, 'start', 'end'),
  unified: (asked) => fromTo(asked, 'vbegin', 'vend'),
  shift: ({ place, period: { startMs, endMs, grows }, nowMs }) => {
    const shownMs = grows ? Math.floor(nowMs / 1_000) * 1_000 : endMs;
    return `${bareEntry(place)}?utc=${startMs / 1_000}&lutc=${shownMs / 1_000}`;
  },
  xc: ({ place, protocol, period: { startMs, endMs } }) => {
    const [, user, password, id] =
      /\/(?:live\/)?([^/]+)\/([^/]+)\/([^/]+)\.(?:m3u8|ts)$/.exec(bareEntry(place)) ?? [];
    if (id === undefined || protocol === 'dash') return undefined;
    const [year, month, day, hour, minute] = formatDateTime(startMs).match(/\d+/g) ?? [];
    const minutes = Math.ceil((endMs - startMs) / 60_000);
    const start = `${year}-${month}-${day}:${hour}-${minute}`;
    return `${place.root}timeshift/${user}/${password}/${minutes}/${start}/${id}.m3u8`;
  },
};

function fromTo({ place, period }: Asked, from: string, to: string): string {
  const end = period.grows ? '' : `&${to}=${period.endMs / 1_000}`;
  return `${bareEntry(place)}?${from}=${period.startMs / 1_000}${end}`;
}

function bareEntry({ entry }: OriginPlace): string {
  return entry.split('?', 1)[0] ?? entry;
}
