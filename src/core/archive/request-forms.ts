import type { Container } from '../stream/stream.ts';
import {
  type Address,
  type ArchiveAddress,
  type ParsedAddress,
  readShift,
  startWish,
} from './archive-address.ts';
import type { ArchiveUrlForm } from './archive-config.ts';
import { wishOf } from './period.ts';
import { readParameters } from './query-parameters.ts';
import { serverForms } from './server-forms.ts';
import { matchPattern } from './url-pattern.ts';

/**
 * Whether an address asks for the archive, and for which time; undefined for a live one. Forms of `docs/archive.md`: those
 * of every stream, and before them those of its media server, of which `url` (`ArchiveConfig.url`) says what it is.
 */
export function readArchiveAddress(
  address: Address,
  url: string | undefined,
): ArchiveAddress | undefined {
  if (isPlainlyLive(address, url)) return undefined;
  const parsed = { ...address, parameters: readParameters(address.query) };
  const ofServer = url === undefined ? undefined : readServerForm(parsed, url);
  return ofServer ?? readPathForm(parsed) ?? readQueryForm(parsed);
}

/** Almost every address: without a query, or a form of its media server's own, a period stands in the name, behind a `-`. */
export function isPlainlyLive(
  { rest, query }: Pick<Address, 'rest' | 'query'>,
  url: string | undefined,
): boolean {
  return url === undefined && query === '' && !rest.includes('-');
}

function readServerForm(address: ParsedAddress, url: string): ArchiveAddress | undefined {
  return Object.hasOwn(serverForms, url)
    ? serverForms[url as ArchiveUrlForm](address)
    : matchPattern(url, address);
}

/** Names before a period that can mean nothing else, even where the period is malformed. */
const periodStem = /^(?:archive|index|video|mono|manifest)-([^-/]*)-([^-/]*?)$/;
/** A child of a media server's own archive playlist (`chunks_`) is a file of its origin. */
const anyStem = /^(?!chunk)[\w~.]+(?:-[\w~.]+)*?-(\d{9,11})-(\d+|now)$/;

/** `{name}-{from}-{duration or now}.m3u8`, and `.mpd`; a container may stand before the ending. */
function readPathForm({ rest, query }: ParsedAddress): ArchiveAddress | undefined {
  const [, stem = '', container, ending] =
    /^([^/]+?)(?:\.(ts|fmp4))?\.(m3u8|mpd)$/.exec(rest) ?? [];
  const [, from, duration] = periodStem.exec(stem) ?? anyStem.exec(stem) ?? [];
  if (from === undefined || duration === undefined) return undefined;
  return {
    protocol: ending === 'mpd' ? 'dash' : 'hls',
    wish: wishOf(from, duration),
    container: container as Container | undefined,
    query,
  };
}

const entryProtocols: Readonly<Record<string, 'hls' | 'dash'>> = {
  'index.m3u8': 'hls',
  'manifest.mpd': 'dash',
};

/** `?start=&end=` or `?start=&duration=`, and `?utc=&lutc=`, on an entry. */
function readQueryForm({ rest, parameters, nowMs }: ParsedAddress): ArchiveAddress | undefined {
  const protocol = Object.hasOwn(entryProtocols, rest) ? entryProtocols[rest] : undefined;
  if (protocol === undefined) return undefined;
  const start = parameters.get('start');
  if (start !== undefined) {
    const query = parameters.without('start', 'end', 'duration');
    return { protocol, wish: startWish(start, parameters, nowMs), query };
  }
  return readShift(protocol, { parameters, nowMs });
}
