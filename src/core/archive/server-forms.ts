import type { Container } from '../stream/stream.ts';
import {
  type ArchiveAddress,
  type ParsedAddress,
  readShift,
  startWish,
} from './archive-address.ts';
import type { ArchiveUrlForm } from './archive-config.ts';
import {
  periodMsMax,
  readInstant,
  readInstantOrAgo,
  readSeconds,
  utcInstant,
  type Wish,
  wishOf,
} from './period.ts';

type ReadForm = (address: ParsedAddress) => ArchiveAddress | undefined;

/** Archive addresses of media servers, as far as they name a playlist or an MPD (`docs/archive.md`, "Addresses"). */
export const serverForms: Readonly<Record<ArchiveUrlForm, ReadForm>> = {
  flussonic,
  nimble,
  wowza,
  mediapackage,
  unified,
  shift: (address) => {
    const protocol = protocolOf(address.rest);
    return protocol && readShift(protocol, address);
  },
  xc,
};

/** `archive-`, `index-`, `video-`, `mono-{from}-{duration}`, `timeshift_abs-`, `timeshift_rel-`, `rewind-`. */
function flussonic({ rest, query, nowMs }: ParsedAddress): ArchiveAddress | undefined {
  const [, stem = '', container, ending = ''] =
    /^([^/]+?)(?:\.(ts|fmp4))?\.(m3u8|mpd)$/.exec(rest) ?? [];
  const wish = flussonicWish(stem, nowMs);
  return wish && answer(ending, wish, query, container as Container | undefined);
}

function flussonicWish(stem: string, nowMs: number): Wish | undefined {
  const [, kind, value = ''] =
    /^(?:[\w-]+-)?(timeshift_abs|timeshift_rel|rewind)-([^-]*)$/.exec(stem) ?? [];
  if (kind === undefined) {
    const [, from, duration] = /^(?:archive|index|video|mono)-([^-]*)-([^-]*)$/.exec(stem) ?? [];
    return from === undefined || duration === undefined ? undefined : wishOf(from, duration);
  }
  const seconds = readSeconds(value);
  return { fromMs: kind === 'timeshift_abs' ? seconds : nowMs - seconds, until: 'now' };
}

/** `..._dvr`, `..._dvr_range-{from}-{duration}`, `..._dvr_timeshift-{shift}[-{depth}]`; children (`chunks_`) are files. */
function nimble({ rest, query, nowMs, firstMs }: ParsedAddress): ArchiveAddress | undefined {
  const [, container, tail, ending = ''] =
    /^(?:playlist|manifest)(_fmp4)?_dvr([^/]*)\.(m3u8|mpd)$/.exec(rest) ?? [];
  if (tail === undefined) return undefined;
  const range = /^_range-([^-]*)-([^-]*)$/.exec(tail);
  const timeshift = /^_timeshift-([^-]*)(?:-([^-]*))?$/.exec(tail);
  const wish = range
    ? wishOf(range[1] ?? '', range[2] ?? '')
    : timeshift
      ? shiftedWish(timeshift[1] ?? '', timeshift[2], nowMs)
      : tail === ''
        ? everything(firstMs, nowMs)
        : undefined;
  return wish && answer(ending, wish, query, container === undefined ? undefined : 'fmp4');
}

/** Delayed by `shift` seconds, or beginning `depth` seconds before that. */
function shiftedWish(shift: string, depth: string | undefined, nowMs: number): Wish {
  return { fromMs: nowMs - readSeconds(shift) - readSeconds(depth ?? '0'), until: 'now' };
}

/** `?DVR` with the start as date and time in UTC or as ms from where the recording begins, and a duration in ms. */
function wowza({ rest, parameters, nowMs, firstMs }: ParsedAddress): ArchiveAddress | undefined {
  const protocol = protocolOf(rest);
  if (protocol === undefined || parameters.get('DVR') === undefined) return undefined;
  const start = parameters.get('wowzadvrplayliststart');
  const duration = parameters.get('wowzadvrplaylistduration');
  const fromMs =
    start === undefined ? everything(firstMs, nowMs).fromMs : wowzaInstant(start, firstMs);
  const until = duration === undefined ? 'now' : fromMs + readSeconds(duration) / 1_000;
  const query = parameters.without('DVR', 'wowzadvrplayliststart', 'wowzadvrplaylistduration');
  return { protocol, wish: { fromMs, until }, query };
}

function wowzaInstant(text: string, firstMs: number): number {
  const date =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text) ??
    /^(\d{4})-(\d\d)-(\d\d)-(\d\d):(\d\d):(\d\d)$/.exec(text);
  if (date !== null) return utcInstant(date.slice(1));
  return /^\d{1,12}$/.test(text) ? firstMs + Number(text) : Number.NaN;
}

/** `?start=&end=`, or the same in `aws.manifestsettings`, where `time_delay` counts back from now. */
function mediapackage({ rest, parameters, nowMs }: ParsedAddress): ArchiveAddress | undefined {
  const protocol = protocolOf(rest);
  if (protocol === undefined) return undefined;
  const start = parameters.get('start');
  if (start !== undefined) {
    const query = parameters.without('start', 'end', 'duration');
    return { protocol, wish: startWish(start, parameters, nowMs), query };
  }
  const settings = new Map(
    (parameters.get('aws.manifestsettings') ?? '').split(';').map((setting) => {
      const [name = ''] = setting.split(':', 1);
      return [name, setting.slice(name.length + 1)];
    }),
  );
  const from = settings.get('start');
  const delay = settings.get('time_delay');
  if (from === undefined && delay === undefined) return undefined;
  const end = settings.get('end');
  return {
    protocol,
    wish: {
      fromMs: from === undefined ? nowMs - readSeconds(delay ?? '') : readInstant(from),
      until: end === undefined ? 'now' : readInstant(end),
    },
    query: parameters.without('aws.manifestsettings'),
  };
}

/** `?vbegin=[&vend=]`; `time_shift` delays. `dvr_window_length` only sizes the live window. */
function unified({ rest, parameters, nowMs }: ParsedAddress): ArchiveAddress | undefined {
  const protocol = protocolOf(rest);
  const begin = parameters.get('vbegin');
  const delay = parameters.get('time_shift');
  if (protocol === undefined || (begin === undefined && delay === undefined)) return undefined;
  const end = parameters.get('vend');
  return {
    protocol,
    wish: {
      fromMs:
        begin === undefined ? nowMs - readSeconds(delay ?? '') : readInstantOrAgo(begin, nowMs),
      until: end === undefined ? 'now' : readInstant(end),
    },
    query: parameters.without('vbegin', 'vend', 'time_shift'),
  };
}

/** `timeshift/{user}/{password}/{minutes}/{Y-m-d:H-M}/{id}.m3u8`, the start in UTC. Who asks is dropped. */
function xc({ rest, query }: ParsedAddress): ArchiveAddress | undefined {
  const [, minutes = '', start, ending = ''] =
    /^timeshift\/[^/]*\/[^/]*\/([^/]*)\/([^/]*)\/[^/]*\.(m3u8|ts)$/.exec(rest) ?? [];
  if (start === undefined || ending === 'ts') return undefined;
  const date = /^(\d{4})-(\d\d?)-(\d\d?)(?::|%3[aA])(\d\d?)-(\d\d?)$/.exec(start);
  const fromMs = date === null ? Number.NaN : utcInstant(date.slice(1));
  return answer(ending, { fromMs, until: fromMs + readSeconds(minutes) * 60 }, query);
}

/** All that is recorded, as far as one playlist may hold it. */
function everything(firstMs: number, nowMs: number): Wish {
  return { fromMs: Math.max(firstMs, nowMs - periodMsMax), until: 'now' };
}

function answer(
  ending: string,
  wish: Wish,
  query: string,
  container?: Container | undefined,
): ArchiveAddress {
  return { protocol: ending === 'mpd' ? 'dash' : 'hls', wish, container, query };
}

/** Of playlists and MPDs; segments and other files have none. */
function protocolOf(rest: string): 'hls' | 'dash' | undefined {
  const [, ending] = /^[^/]*\.(m3u8|mpd)$/.exec(rest) ?? [];
  return ending === undefined ? undefined : ending === 'mpd' ? 'dash' : 'hls';
}
