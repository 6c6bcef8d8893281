import { archiveDepthMs } from '../../core/archive/archive-config.ts';
import type { ArchiveWish } from '../../core/archive/archive-members.ts';
import { type Period, periodName } from '../../core/archive/period.ts';
import { type ArchivePlacement, placeArchive } from '../../core/archive/place-archive.ts';
import { cutRanges } from '../../core/archive/ranges.ts';
import { rungPath } from '../../core/archive/rung-path.ts';
import type { Candidate, Candidates } from '../../core/placement/candidates.ts';
import type { Ladder } from '../../core/playlist/ladder.ts';
import { type LadderMatch, matchLadders } from '../../core/playlist/ladder-match.ts';
import { mapUris } from '../../core/playlist/map-uris.ts';
import { compileMultivariant } from '../../core/playlist/multivariant.ts';
import type { Container } from '../../core/stream/stream.ts';
import type { Now, UnixMs } from '../../core/time.ts';
import type { ArchiveReader } from '../archive-ports.ts';
import type { LiveStreams } from '../live-streams.ts';
import type { Spread } from '../spread.ts';
import {
  type GoodArrival,
  placedArrival,
  type ViewerRequest,
  type ViewingDeps,
} from '../viewing-parts.ts';
import type { Coverages } from './coverages.ts';
import type { OriginArchives } from './origin-archives.ts';
import type { OwnArchives } from './own-archives.ts';
import type { PeerSegments } from './peer-segments.ts';
import type { PeriodTexts } from './period-texts.ts';

/** What archive requests are answered from, beside what live ones are. */
export type ArchiveDeps = {
  readonly coverages: Coverages;
  readonly reader: ArchiveReader;
  readonly archives: OwnArchives;
  readonly origins: OriginArchives;
  readonly peerSegments: PeerSegments;
  readonly periodTexts: PeriodTexts;
};

/** First segment of paths below a stream that are recordings. */
export const archivePrefix = '~archive/';

/** A viewer's request for a period of one stream. */
export type PeriodRequest = {
  readonly request: ViewerRequest;
  readonly arrival: GoodArrival;
  readonly name: string;
  readonly protocol: 'hls' | 'dash';
  readonly container: Container | undefined;
  readonly period: Period;
  readonly form: ArchiveWish['form'];
  readonly candidates: Candidates;
};

type OwnFacts = { readonly live: Pick<LiveStreams, 'facts'> };

/** How far back this node or any other may be asked for a stream, ms; without an end where nobody keeps an archive. */
export function depthOf(
  { live }: ViewingDeps,
  { name, candidates }: { readonly name: string; readonly candidates: Candidates },
): number {
  const archive = live.config(name)?.archive;
  const own = archive === undefined ? [] : [archiveDepthMs(archive)];
  const others = candidates.list.flatMap(({ stream }) => stream.archive?.depthMs ?? []);
  const depths = [...own, ...others];
  return depths.length === 0 ? Infinity : Math.max(...depths);
}

/** When the oldest recording of a stream began here; else as far back as an archive may reach. */
export function firstRecordedAt(
  { live }: ViewingDeps,
  { coverages }: ArchiveDeps,
  { name, now }: { readonly name: string; readonly now: Now },
): UnixMs {
  const starts = coverages.of(name).flatMap(({ ranges }) => ranges[0]?.startMs ?? []);
  const depthMs = archiveDepthMs(live.config(name)?.archive ?? {});
  return starts.length === 0 ? now.wallMs - depthMs : Math.min(...starts);
}

/** Decides where a period is answered. */
export function placePeriod(
  viewing: ViewingDeps,
  archive: ArchiveDeps,
  asked: PeriodRequest,
): ArchivePlacement {
  const { request, name } = asked;
  const { now, viewer } = request;
  const arrival = placedArrival(viewing, asked.arrival, { name, now });
  return placeDescribed(viewing, archive, { ...asked, viewer, arrival, now });
}

/** {@link placePeriod} for a viewer who need not be there. */
export function placeDescribed(
  viewing: OwnFacts & { readonly spread: Pick<Spread, 'sentLately'> },
  archive: Pick<ArchiveDeps, 'reader' | 'archives'>,
  asked: Pick<PeriodRequest, 'name' | 'protocol' | 'container' | 'period' | 'form' | 'candidates'> &
    Pick<ArchiveWish, 'viewer' | 'arrival'> & { readonly now: Now },
): ArchivePlacement {
  const { name, protocol, period, viewer, arrival, candidates, form, now } = asked;
  const ladder = ladderOf(viewing, archive, name);
  return placeArchive({
    stream: name,
    container: asked.container ?? viewing.live.facts(name)?.hls?.container,
    ...{ protocol, period, viewer, arrival, candidates, form, nowMs: now.wallMs },
    own: (container) => cutRanges(archive.archives.servable(name, protocol, container), period),
    joins: (candidate) => protocol === 'hls' && matchOf(ladder, candidate) !== undefined,
    sentLately: viewing.spread.sentLately(now),
  });
}

/** Of what can be listed here, as it is live or was when recorded last; undefined where nothing can. */
function ladderOf({ live }: OwnFacts, { reader }: Pick<ArchiveDeps, 'reader'>, name: string) {
  if (!reader.lists(name)) return undefined;
  const ladder = live.facts(name)?.hls?.ladder;
  if (ladder !== undefined) return ladder;
  const entry = reader.entry(name);
  return entry && recordedLadder(entry);
}

/** Of recorded multivariant playlists: placing a period asks for it again and again. */
const recordedLadders = new WeakMap<Uint8Array, { readonly ladder: Ladder | undefined }>();

function recordedLadder(entry: Uint8Array): Ladder | undefined {
  const known = recordedLadders.get(entry) ?? { ladder: compileMultivariant(entry)?.ladder };
  recordedLadders.set(entry, known);
  return known.ladder;
}

function matchOf(own: Ladder | undefined, { stream }: Candidate): LadderMatch | undefined {
  const theirs = stream.hls?.ladder;
  const isListed = stream.archive?.lists === true;
  return own && theirs && isListed ? matchLadders(own, theirs) : undefined;
}

/** The viewer path at a member of what is `rung` here; undefined where it has no such rung. */
export function rungAt(
  viewing: OwnFacts,
  archive: Pick<ArchiveDeps, 'reader'>,
  { name, rung, candidate }: { name: string; rung: string; candidate: Candidate },
): string | undefined {
  const own = ladderOf(viewing, archive, name);
  const match = matchOf(own, candidate);
  if (own === undefined || match === undefined) return undefined;
  const isRung = ({ uri }: { readonly uri?: string | undefined }) =>
    uri !== undefined && rungPath(uri) === rung;
  const variant = own.variants.findIndex(isRung);
  const uri =
    variant < 0 ? match.renditions[own.renditions.findIndex(isRung)] : match.variants[variant];
  return uri && rungPath(uri);
}

/** The path below the stream of the recorded media playlist of what is live at `uri`. */
function periodPath(uri: string, period: Period): string {
  return `${archivePrefix}${rungPath(uri)}/${periodName(period)}.m3u8`;
}

/** A multivariant playlist of live media playlists, made one of their periods. */
export function periodMultivariant(bytes: Uint8Array, period: Period): Uint8Array {
  return mapUris(bytes, (uri, use) =>
    use === 'playlist' && !/^(?:[a-z][a-z0-9+.-]*:(?!$)|\/)/i.test(uri)
      ? periodPath(uri, period)
      : undefined,
  );
}

/** A member's ladder with the addresses of a period. */
export function periodLadder({ variants, renditions }: Ladder, period: Period): Ladder {
  return {
    variants: variants.map((variant) => ({ ...variant, uri: periodPath(variant.uri, period) })),
    renditions: renditions.map((rendition) =>
      rendition.uri === undefined
        ? rendition
        : { ...rendition, uri: periodPath(rendition.uri, period) },
    ),
  };
}
