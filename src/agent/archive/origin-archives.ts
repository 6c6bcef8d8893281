import { originPeriodUrl } from '../../core/archive/origin-period.ts';
import type { Period } from '../../core/archive/period.ts';
import { playlistLimits } from '../../core/playlist/classify.ts';
import { mapUris } from '../../core/playlist/map-uris.ts';
import { readMpd, rebaseMpd } from '../../core/stream/mpd.ts';
import {
  dashEntryPath,
  hlsEntryPath,
  mapUri,
  type OriginPlace,
  originPlace,
  type PlaylistPlace,
  resolveUri,
  toOriginUrl,
  toViewerPath,
} from '../../core/stream/origin-paths.ts';
import type { StreamConfig } from '../../core/stream/stream.ts';
import type { UnixMs } from '../../core/time.ts';
import type { ReadMeaning } from '../live-snapshots.ts';
import type { OpenOrigin, Origin, OriginBody, OriginFault } from '../ports.ts';
import { archiveUrlOf } from './own-archives.ts';

/** Media servers look a period up before they answer; a viewer waits no longer than this, ms. */
const periodMsMax = 2_000;

/** Where viewers find the playlists that a media server's multivariant playlist of a period names. */
export const originPrefix = '~archive/~origin/';

/** A playlist or MPD of a media server's own archive, its URIs viewer paths. */
export type OriginPeriod = {
  readonly kind: 'multivariant' | 'media' | 'mpd';
  readonly bytes: Uint8Array;
};

type Opened = { readonly entry: string; readonly place: OriginPlace; readonly origin: Origin };

/** The archives that media servers keep themselves. What their playlists name is served like any file of the stream. */
export class OriginArchives {
  readonly #deps: { readonly openOrigin: OpenOrigin; readonly readMeaning: ReadMeaning };
  readonly #opened = new Map<string, Opened>();

  constructor(deps: { openOrigin: OpenOrigin; readMeaning: ReadMeaning }) {
    this.#deps = deps;
  }

  /** Asks the media server for a period in its own form. */
  async read(
    config: StreamConfig,
    asked: { protocol: 'hls' | 'dash'; period: Period; nowMs: UnixMs },
  ): Promise<OriginPeriod | OriginFault> {
    const form = config.archive && archiveUrlOf(config.archive);
    const opened = this.#open(config, asked.protocol);
    const url = form && opened && originPeriodUrl(form, { ...asked, place: opened.place });
    if (opened === undefined || url === undefined)
      return { kind: 'fault', reason: 'no-such-protocol' };
    const limits = { deadlineMs: periodMsMax, bytesMax: playlistLimits.bodyBytesMax };
    const body = await opened.origin.read(url, limits);
    if (body.kind === 'fault') return body;
    return asked.protocol === 'dash'
      ? this.#readMpd(config, opened, body)
      : this.#readPlaylist(opened, body);
  }

  /** A media playlist that a period's multivariant playlist named; `path` is below {@link originPrefix}. */
  async readChild(
    config: StreamConfig,
    { path, query }: { path: string; query: string },
  ): Promise<OriginPeriod | OriginFault> {
    const opened = this.#open(config, 'hls');
    const url = opened && toOriginUrl(opened.place, path, query);
    if (opened === undefined || url === undefined) return { kind: 'fault', reason: 'path-invalid' };
    const limits = { deadlineMs: periodMsMax, bytesMax: playlistLimits.bodyBytesMax };
    const body = await opened.origin.read(url, limits);
    return body.kind === 'fault' ? body : this.#readPlaylist(opened, body, originPrefix + path);
  }

  /** Frees what streams that are gone, or have another origin now, had open. */
  keep(configs: readonly StreamConfig[]): void {
    const entries = new Set(configs.flatMap(({ origin, dash }) => [origin, dash]));
    for (const [key, { entry, origin }] of this.#opened) {
      if (entries.has(entry)) continue;
      origin.close();
      this.#opened.delete(key);
    }
  }

  close(): void {
    this.keep([]);
  }

  #readPlaylist(
    { place }: Opened,
    body: OriginBody,
    path: string = hlsEntryPath,
  ): OriginPeriod | OriginFault {
    const at = { url: body.url, path };
    const kind = this.#deps.readMeaning(body.bytes)?.kind;
    if (kind === undefined) return { kind: 'fault', reason: 'playlist-invalid' };
    const bytes = mapUris(body.bytes, (uri, use) => {
      const child = use === 'playlist' ? childPath(place, at, uri) : undefined;
      if (child !== undefined) return child;
      const target = mapUri(place, at, uri);
      return target.kind === 'moved' ? target.uri : undefined;
    });
    return { kind, bytes };
  }

  #readMpd({ origin }: StreamConfig, { place }: Opened, body: OriginBody) {
    const text = new TextDecoder().decode(body.bytes);
    const mpd = readMpd(text);
    if (mpd === undefined) return { kind: 'fault', reason: 'playlist-invalid' } as const;
    const hlsFolder = origin && originPlace(origin, hlsEntryPath)?.folder;
    const isBeside = hlsFolder === undefined || hlsFolder === place.folder;
    const where = { place, url: body.url, prefix: isBeside ? '' : '~dash/' };
    return { kind: 'mpd', bytes: new TextEncoder().encode(rebaseMpd(text, mpd, where)) } as const;
  }

  #open(config: StreamConfig, protocol: 'hls' | 'dash'): Opened | undefined {
    const entry = protocol === 'hls' ? config.origin : config.dash;
    if (entry === undefined) return undefined;
    const key = `${protocol} ${entry}`;
    const known = this.#opened.get(key);
    if (known !== undefined) return known;
    const place = originPlace(entry, protocol === 'hls' ? hlsEntryPath : dashEntryPath);
    if (place === undefined) return undefined;
    const opened = { entry, place, origin: this.#deps.openOrigin(entry) };
    this.#opened.set(key, opened);
    return opened;
  }
}

/** Playlists of a period are read as such, not as live ones: they are there when the stream is off the air. */
function childPath(place: OriginPlace, at: PlaylistPlace, uri: string): string | undefined {
  const path = toViewerPath(place, at, uri);
  const url = resolveUri(at, uri);
  if (path === undefined || url === undefined) return undefined;
  return `${'../'.repeat(at.path.split('/').length - 1)}${originPrefix}${path}${new URL(url).search}`;
}
