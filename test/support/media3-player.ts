import { pathwaysOf } from './pathway-player.ts';

/** The rules of Media3 1.11 (`docs/players.md`); source read, never run. Durations in ms. */
const fallbackStatuses = new Set([403, 404, 410, 416, 500, 503]);
const locationPenaltyMs = 300_000;
const retriesMax = 3;
const retryMsMax = 5_000;
const stuckTargets = 3.5;
const bufferMsMax = 50_000;
const startTargets = 3;

/** What a request came to; status 0: refused, cut, or no answer within 8 s. */
export type Media3Answer = { readonly status: number; readonly text: string };

type Parts = {
  readonly multivariant: string;
  /** Where the multivariant playlist was found. */
  readonly entry: string;
  readonly request: (url: string) => Promise<Media3Answer>;
  readonly monoMs: () => number;
  /** Which of several backups is taken is not specified. The first, unless told otherwise. */
  readonly pick?: (locations: readonly string[]) => string | undefined;
};

type Snapshot = {
  readonly sequence: number;
  readonly targetMs: number;
  readonly segments: readonly { readonly uri: string; readonly ms: number }[];
};

export type Media3Player = {
  /** Does what is due; call it often. The reason, once it has given up. */
  step(): Promise<string | undefined>;
  /** Where it takes its playlist from. */
  location(): string;
  /** Time without anything to show since it began to play, ms. */
  starvedMs(): number;
  /** Numbers of the segments it has loaded, in order. */
  loaded(): readonly number[];
};

/**
 * A player by the rules of Media3, of the first rung: it moves to another location of the redundant group only on some
 * statuses, goes on there at the number behind the last one it has, and gives up on a playlist that stands still.
 */
export function createMedia3Player(parts: Parts): Media3Player {
  const { entry, monoMs, request, pick = ([first]) => first } = parts;
  const locations = pathwaysOf(parts.multivariant).flatMap(({ levels }) =>
    levels.slice(0, 1).map(({ uri }) => new URL(uri, entry).href),
  );
  const excludedAt = new Map<string, number>();
  const loaded: number[] = [];
  let location = locations[0] ?? '';
  let snapshot: Snapshot | undefined;
  let next: number | undefined;
  let fatal: string | undefined;
  let changedAt = monoMs();
  let playlistDueAt = 0;
  let segmentDueAt = 0;
  const errors = { playlist: 0, segment: 0 };
  const buffer = createBuffer(monoMs);

  /** Moves, waits for another attempt, or gives up; gives the ms to wait. */
  function fail(kind: 'playlist' | 'segment', status: number): number {
    const isFree = (uri: string) =>
      uri !== location && monoMs() - (excludedAt.get(uri) ?? -Infinity) >= locationPenaltyMs;
    const other = fallbackStatuses.has(status) ? pick(locations.filter(isFree)) : undefined;
    if (other !== undefined) {
      excludedAt.set(location, monoMs());
      location = other;
      playlistDueAt = 0;
      errors[kind] = 0;
      return 0;
    }
    errors[kind] += 1;
    if (errors[kind] > retriesMax && buffer.isEmpty()) fatal = `${kind} load error ${status}`;
    return Math.min((errors[kind] - 1) * 1_000, retryMsMax);
  }

  function adopt(fresh: Snapshot): void {
    const before = snapshot;
    const isNewer =
      before === undefined ||
      fresh.sequence > before.sequence ||
      (fresh.sequence === before.sequence && fresh.segments.length > before.segments.length);
    if (before !== undefined && fresh.sequence + fresh.segments.length < before.sequence) {
      fatal = 'playlist reset';
    } else if (isNewer) {
      changedAt = monoMs();
      snapshot = fresh;
    } else if (monoMs() - changedAt > stuckTargets * before.targetMs) {
      fatal = 'playlist stuck';
    }
    playlistDueAt = monoMs() + fresh.targetMs / (isNewer ? 1 : 2);
  }

  async function loadPlaylist(): Promise<void> {
    const { status, text } = await request(location);
    if (status !== 200) {
      playlistDueAt = monoMs() + fail('playlist', status);
      return;
    }
    errors.playlist = 0;
    adopt(read(text));
  }

  /** True when there may be more to load at once. */
  async function loadSegment(): Promise<boolean> {
    if (snapshot === undefined || monoMs() < segmentDueAt || buffer.ms() >= bufferMsMax)
      return false;
    const { sequence, segments } = snapshot;
    next ??= sequence + Math.max(0, segments.length - startTargets);
    const segment = segments[next - sequence];
    if (next < sequence) fatal = 'behind live window';
    if (segment === undefined) return false;
    const { status } = await request(new URL(segment.uri, location).href);
    if (status !== 200) {
      segmentDueAt = monoMs() + fail('segment', status);
      return false;
    }
    errors.segment = 0;
    loaded.push(next);
    next += 1;
    buffer.add(segment.ms);
    return true;
  }

  return {
    location: () => location,
    starvedMs: buffer.starvedMs,
    loaded: () => loaded,
    async step() {
      // A move asks the next location at once, and so on through all of them.
      for (let moves = 0; moves <= locations.length && monoMs() >= playlistDueAt; moves++)
        if (fatal === undefined) await loadPlaylist();
      while (fatal === undefined && (await loadSegment()));
      return fatal;
    },
  };
}

/** What is loaded and not yet shown; it begins to be shown with the first segment. */
function createBuffer(monoMs: () => number) {
  let leftMs = 0;
  let starvedMs = 0;
  let at: number | undefined;
  const ms = () => {
    const now = monoMs();
    const left = leftMs - (now - (at ?? now));
    starvedMs += Math.max(0, -left);
    leftMs = Math.max(0, left);
    if (at !== undefined) at = now;
    return leftMs;
  };
  return {
    ms,
    isEmpty: () => ms() === 0,
    starvedMs() {
      ms();
      return starvedMs;
    },
    add(addedMs: number) {
      leftMs = ms() + addedMs;
      at ??= monoMs();
    },
  };
}

function read(text: string): Snapshot {
  const value = (tag: string) => Number(new RegExp(`#EXT-X-${tag}:(\\d+)`).exec(text)?.[1] ?? 0);
  const segments = [...text.matchAll(/#EXTINF:([\d.]+).*\n(?:#.*\n)*([^#\n]+)/g)].map(
    ([, seconds = '', uri = '']) => ({ uri, ms: Number(seconds) * 1_000 }),
  );
  return {
    sequence: value('MEDIA-SEQUENCE'),
    targetMs: value('TARGETDURATION') * 1_000,
    segments,
  };
}
