import type { Ladder } from '../core/playlist/ladder.ts';
import type { Child } from '../core/stream/entry-children.ts';
import { type OriginPlace, toOriginUrl } from '../core/stream/origin-paths.ts';
import type { MonoMs, Now } from '../core/time.ts';
import { LivePlaylist } from './live-playlist.ts';
import type { LiveDeps } from './live-snapshots.ts';
import type { KnownFile } from './window-files.ts';

/** Playlists that no entry names, kept because viewers ask for them. */
const othersMax = 16;
/** How long one that nobody needs all the time is kept fresh after the last viewer asked, ms. */
const askedMsMax = 30_000;

/** `rung`: the stream is on air only with it; `beside`: kept fresh all the same; `other`: only while asked for. */
type Role = 'rung' | 'beside' | 'other';

type Kept = {
  readonly path: string;
  readonly query: string;
  readonly playlist: LivePlaylist;
  role: Role;
  /** A viewer asked since the last look. */
  isAsked: boolean;
  askedAt: MonoMs;
};

/** The media playlists of one stream, by the paths that viewers know them by. */
export class EntryPlaylists {
  readonly #deps: LiveDeps;
  readonly #place: OriginPlace;
  #children: readonly Kept[] = [];
  readonly #others = new Map<string, Kept>();
  #byPath = new Map<string, readonly Kept[]>();
  #rungs: readonly LivePlaylist[] = [];

  constructor(deps: LiveDeps, place: OriginPlace) {
    this.#deps = deps;
    this.#place = place;
  }

  /** Those without which the stream is not on air, in playlist order. */
  get rungs(): readonly LivePlaylist[] {
    return this.#rungs;
  }

  /** Takes over what the entry names now. A playlist whose viewer path stays goes on under the origin's new URI. */
  update(children: readonly Child[], ladder: Ladder): void {
    const roles = rolesOf(ladder);
    const before = new Map(this.#children.map((kept) => [keyOf(kept), kept]));
    this.#children = children.map(({ path, query, url }) => {
      const key = keyOf({ path, query });
      const role = roles.get(key) ?? 'other';
      const known = before.get(key);
      if (known === undefined)
        return this.#keep({ path, query, url, role }, Number.NEGATIVE_INFINITY);
      before.delete(key);
      known.playlist.move(url);
      known.role = role;
      return known;
    });
    for (const { playlist } of before.values()) playlist.forget();
    this.#byPath = new Map();
    for (const kept of this.#children)
      this.#byPath.set(kept.path, [...(this.#byPath.get(kept.path) ?? []), kept]);
    const byKey = new Map(this.#children.map((kept) => [keyOf(kept), kept.playlist]));
    this.#rungs = [...roles].flatMap(([key, role]) => {
      const playlist = role === 'rung' ? byKey.get(key) : undefined;
      return playlist ?? [];
    });
  }

  #other(path: string, query: string): Kept | undefined {
    if (this.#others.size === 0) return undefined;
    return this.#others.get(toOriginUrl(this.#place, path, query) ?? '');
  }

  /** The playlist that a viewer names; its query counts only where several have the same path. */
  find(path: string, query: string): LivePlaylist | undefined {
    const named = this.#byPath.get(path) ?? [];
    const isExact = (kept: Kept) => `&${query}&`.includes(`&${kept.query}&`);
    const kept = (named.length > 1 ? named.find(isExact) : undefined) ?? named[0];
    const found = kept ?? this.#other(path, query);
    if (found !== undefined) found.isAsked = true;
    return found?.playlist;
  }

  isChild(path: string): boolean {
    return this.#byPath.has(path);
  }

  /** As {@link find}; one that no entry names is taken up if its path can be one at the origin. */
  findOrAdd(path: string, query: string, now: Now): LivePlaylist | undefined {
    const found = this.find(path, query);
    const url = found === undefined ? toOriginUrl(this.#place, path, query) : undefined;
    if (url === undefined) return found;
    this.#makeRoom();
    const kept = this.#keep({ path, query, url, role: 'other' }, now.monoMs);
    this.#others.set(url, kept);
    return kept.playlist;
  }

  /** The file that a window names, or named a moment ago. */
  file(path: string): KnownFile | undefined {
    for (const { playlist } of this.#all()) {
      const file = playlist.files.get(path);
      if (file !== undefined) return file;
    }
    return undefined;
  }

  /** Playlists to be kept fresh now. */
  fresh(now: Now): readonly LivePlaylist[] {
    const fresh: LivePlaylist[] = [];
    for (const kept of this.#all()) {
      if (kept.isAsked) kept.askedAt = now.monoMs;
      kept.isAsked = false;
      const isAsked = now.monoMs - kept.askedAt <= askedMsMax;
      if (kept.role !== 'other' || isAsked) fresh.push(kept.playlist);
      else if (kept.playlist.snapshot !== undefined) kept.playlist.forget();
    }
    return fresh;
  }

  clear(): void {
    for (const { playlist } of this.#all()) playlist.forget();
    this.#children = [];
    this.#others.clear();
    this.#byPath = new Map();
    this.#rungs = [];
  }

  #all(): readonly Kept[] {
    return this.#others.size === 0 ? this.#children : [...this.#children, ...this.#others.values()];
  }

  #keep(child: Child & { role: Role }, askedAt: MonoMs): Kept {
    const { path, query, role } = child;
    const playlist = new LivePlaylist(this.#deps, this.#place, child);
    return { path, query, playlist, role, isAsked: false, askedAt };
  }

  /** The one asked for longest ago goes. */
  #makeRoom(): void {
    if (this.#others.size < othersMax) return;
    const [oldest] = [...this.#others].sort(([, a], [, b]) => a.askedAt - b.askedAt);
    if (oldest === undefined) return;
    oldest[1].playlist.forget();
    this.#others.delete(oldest[0]);
  }
}

function keyOf({ path, query }: { path: string; query: string }): string {
  return query === '' ? path : `${path}?${query}`;
}

/** By key, in playlist order; a rendition of subtitles may fail without the picture failing. */
function rolesOf({ variants, renditions }: Ladder): ReadonlyMap<string, Role> {
  const roles = new Map<string, Role>();
  const add = (uri: string | undefined, role: Role) => {
    const key = uri?.replace(/^\.\//, '');
    if (key !== undefined && roles.get(key) !== 'rung') roles.set(key, role);
  };
  for (const { uri } of variants) add(uri, 'rung');
  for (const { uri, type } of renditions) add(uri, type === 'SUBTITLES' ? 'beside' : 'rung');
  return roles;
}
