import { settledMs } from '../../core/archive/listed-periods.ts';
import { originSegments } from '../../core/archive/origin-segments.ts';
import { cutRanges, type TimeRange } from '../../core/archive/ranges.ts';
import { rungPath, rungsOf } from '../../core/archive/rung-path.ts';
import { matchLadders } from '../../core/playlist/ladder-match.ts';
import { readMediaPlaylist } from '../../core/playlist/media-playlist.ts';
import { compileMultivariant } from '../../core/playlist/multivariant.ts';
import type { StreamConfig } from '../../core/stream/stream.ts';
import type { MonoMs, Now } from '../../core/time.ts';
import type { ArchiveBlock, ArchivedRung, ArchiveReader } from '../archive-ports.ts';
import type { LiveStreams } from '../live-streams.ts';
import type { Clock, NewId } from '../ports.ts';
import type { Coverages } from './coverages.ts';
import { type OriginArchives, originPrefix } from './origin-archives.ts';

/** Addresses of these servers' segments are good for one session only: no other viewer can be given them. */
const sessionForms: ReadonlySet<string> = new Set(['nimble', 'wowza']);
/** Stretches without a hole that are asked for at once. */
const stretchesMax = 16;
/** A list is good for this long, ms; one of what still grows, or that could not be had, for the second. */
const keptMsMax = 60_000;
const grownKeptMsMax = 2_000;
/** Lists that are kept. */
const listsMax = 200;

/** Whether a media server's lists can be taken is tried out this often, ms; with the newest that it has written for sure. */
const triedMs = 60_000;
const writtenMs = 120_000;
const trialMs = 30_000;
/** Of the random text that tells this node's media servers from those of others. */
const serverLength = 8;
/** Streams that are tried out in one go. */
const trialsMax = 20;

type Trial = { readonly at: MonoMs; readonly isGood: boolean };

type Kept = { readonly block: Promise<ArchiveBlock>; readonly until: MonoMs };

export type OriginReaderDeps = {
  readonly clock: Clock;
  readonly newId: NewId;
  readonly origins: Pick<OriginArchives, 'read' | 'readChild'>;
  readonly coverages: Coverages;
  readonly live: Pick<LiveStreams, 'config' | 'entry' | 'facts'>;
};

type OriginReader = Pick<ArchiveReader, 'lists' | 'rungs' | 'list'> & {
  /** Finds out of which streams it can be listed. Need not be waited for. */
  tryOut(streams: readonly StreamConfig[], now: Now): Promise<void>;
};

/**
 * Lists what media servers keep themselves, where `archive.url` says how they are asked, so that pieces of it can stand
 * in playlists of many.
 */
export function createOriginReader(given: OriginReaderDeps): OriginReader {
  const { clock, coverages, live, newId } = given;
  // Media servers of other nodes have recordings that begin at the same second.
  const deps = { ...given, server: newId().slice(0, serverLength) };
  const kept = new Map<string, Kept>();
  const trials = new Map<string, Trial>();
  const rungs = (stream: string): readonly ArchivedRung[] => {
    const container = live.facts(stream)?.hls?.container ?? 'ts';
    const ladder = live.entry(stream)?.template.ladder;
    return [...(ladder === undefined ? [] : rungsOf(ladder).keys())].map((rung) => ({
      ...{ stream, container, rung },
    }));
  };
  const listOne = (rung: ArchivedRung, range: TimeRange, recording: TimeRange) => {
    const key = `${rung.stream} ${rung.container} ${rung.rung} ${range.startMs} ${range.endMs}`;
    const now = clock.now();
    const known = kept.get(key);
    if (known !== undefined && now.monoMs <= known.until) return known.block;
    const isSettled = range.endMs <= now.wallMs - settledMs;
    const block = read(deps, rung, range, recording).then((found) => {
      if (found === undefined) kept.set(key, { block, until: now.monoMs + grownKeptMsMax });
      return found ?? [];
    });
    kept.delete(key);
    kept.set(key, { block, until: now.monoMs + (isSettled ? keptMsMax : grownKeptMsMax) });
    const [oldest] = kept.keys();
    if (kept.size > listsMax && oldest !== undefined) kept.delete(oldest);
    return block;
  };
  const lists = (stream: string) =>
    isListable(live.config(stream)) && trials.get(stream)?.isGood === true;
  const tryOne = async (stream: string, now: Now) => {
    const [rung] = rungs(stream);
    const written = { startMs: Number.NEGATIVE_INFINITY, endMs: now.wallMs - writtenMs };
    const ranges = rung && cutRanges(coverages.ranges(stream, rung.container), written);
    const newest = ranges?.at(-1);
    if (rung === undefined || newest === undefined) return;
    const range = { ...newest, startMs: Math.max(newest.startMs, newest.endMs - trialMs) };
    const found = await read(deps, rung, range, newest);
    trials.set(stream, { at: now.monoMs, isGood: found !== undefined && found.length > 0 });
  };
  return {
    lists,
    rungs: (stream) => (lists(stream) ? rungs(stream) : []),
    tryOut: async (streams, now) => {
      const wanted = new Set(streams.filter(isListable).map(({ name }) => name));
      for (const name of trials.keys()) if (!wanted.has(name)) trials.delete(name);
      const isDue = (name: string) => now.monoMs - (trials.get(name)?.at ?? -Infinity) >= triedMs;
      const due = [...wanted].filter(isDue).slice(0, trialsMax);
      await Promise.all(due.map((name) => tryOne(name, now)));
    },
    list: (rung, period) => {
      const recordings = coverages.ranges(rung.stream, rung.container);
      const stretches = cutRanges(recordings, period).slice(-stretchesMax);
      return Promise.all(
        stretches.map((range) => {
          const recording = recordings.find(({ endMs }) => endMs >= range.endMs) ?? range;
          return listOne(rung, range, recording);
        }),
      );
    },
  };
}

function isListable(config: StreamConfig | undefined): boolean {
  const { origin, archive } = config ?? {};
  const url = archive?.record || archive?.directory ? undefined : archive?.url;
  return origin !== undefined && url !== undefined && !sessionForms.has(url);
}

/** Undefined when the media server does not tell, or tells what cannot be taken. */
async function read(
  { clock, origins, live, server }: OriginReaderDeps & { readonly server: string },
  { stream, rung }: ArchivedRung,
  range: TimeRange,
  recording: TimeRange,
): Promise<ArchiveBlock | undefined> {
  const config = live.config(stream);
  if (config === undefined) return undefined;
  const nowMs = clock.now().wallMs;
  const startMs = Math.floor(range.startMs / 1_000) * 1_000;
  const endMs = Math.ceil(range.endMs / 1_000) * 1_000;
  const period = { startMs, endMs, grows: false };
  const found = await origins.read(config, { protocol: 'hls', period, nowMs });
  if (found.kind !== 'multivariant') {
    const isOnly = (live.entry(stream)?.template.ladder.variants.length ?? 0) === 1;
    if (found.kind !== 'media' || !isOnly) return undefined;
    return segmentsIn(found.bytes, { path: '', range: period, recording, server });
  }
  const child = childAt(live, config, { rung, bytes: found.bytes });
  if (child === undefined) return undefined;
  const media = await origins.readChild(config, child);
  if (media.kind !== 'media') return undefined;
  const path = originPrefix + child.path;
  return segmentsIn(media.bytes, { path, range: period, recording, server });
}

function segmentsIn(
  bytes: Uint8Array,
  at: Parameters<typeof originSegments>[1],
): ArchiveBlock | undefined {
  const playlist = readMediaPlaylist(bytes);
  return playlist && originSegments(playlist, at);
}

/** What is `rung` live, in a period's multivariant playlist, as {@link OriginArchives.readChild} wants it. */
function childAt(
  live: OriginReaderDeps['live'],
  { name }: StreamConfig,
  { rung, bytes }: { rung: string; bytes: Uint8Array },
): { readonly path: string; readonly query: string } | undefined {
  const own = live.entry(name)?.template.ladder;
  const theirs = compileMultivariant(bytes)?.ladder;
  const match = own && theirs && matchLadders(own, theirs);
  if (own === undefined || match === undefined) return undefined;
  const isRung = ({ uri }: { readonly uri?: string | undefined }) =>
    uri !== undefined && rungPath(uri) === rung;
  const variant = own.variants.findIndex(isRung);
  const uri =
    variant < 0 ? match.renditions[own.renditions.findIndex(isRung)] : match.variants[variant];
  if (uri === undefined || !uri.startsWith(originPrefix)) return undefined;
  const path = rungPath(uri).slice(originPrefix.length);
  return { path, query: new URL(uri, 'http://viewer.invalid').search.slice(1) };
}
