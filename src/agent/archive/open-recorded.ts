import { judgePeriod, type Period, periodName, wishOf } from '../../core/archive/period.ts';
import { renderPeriod, type Taken, takeSegments } from '../../core/archive/period-playlist.ts';
import type { ArchivePlacement } from '../../core/archive/place-archive.ts';
import type { Piece } from '../../core/archive/plan.ts';
import { spanOf } from '../../core/archive/ranges.ts';
import { writeSegmentList } from '../../core/archive/segment-list.ts';
import type { StreamConfig } from '../../core/stream/stream.ts';
import type { ViewerQuery } from '../../core/viewer/query.ts';
import { type Answer, denied, notFromHere } from '../answer.ts';
import type { ArchiveBlock, ArchivedRung } from '../archive-ports.ts';
import { arrive } from '../arrive.ts';
import { namePath, noteWatching, type ViewerRequest, type ViewingDeps } from '../viewing-parts.ts';
import {
  type ArchiveDeps,
  archivePrefix,
  type PeriodRequest,
  placePeriod,
  rungAt,
} from './archive-deps.ts';
import { hlsType, secondsOf } from './open-period.ts';
import { originPrefix } from './origin-archives.ts';

/** A path below {@link archivePrefix}: the recorded rung, and what of it. */
type Recorded = {
  readonly stream: StreamConfig;
  readonly rung: string;
  readonly file: string;
  readonly rungs: readonly ArchivedRung[];
};

/** A media playlist of a period, the list of segments that another node asks for, or a segment. */
export async function openRecorded(
  viewing: ViewingDeps,
  archive: ArchiveDeps,
  parts: { request: ViewerRequest; query: ViewerQuery; stream: StreamConfig; rest: string },
): Promise<Answer> {
  const { request, query, stream } = parts;
  if (parts.rest.startsWith(originPrefix))
    return openOfOrigin(archive, stream, parts.rest.slice(originPrefix.length), query);
  const path = parts.rest.slice(archivePrefix.length);
  const slash = path.lastIndexOf('/');
  const [rung, file] = [path.slice(0, Math.max(slash, 0)), path.slice(slash + 1)];
  const rungs = archive.reader.rungs(stream.name).filter((recorded) => recorded.rung === rung);
  const recorded = { stream, rung, file, rungs };
  const [, from, duration, ending] = /^(\d+)-(\d+|now)\.(m3u8|json)$/.exec(file) ?? [];
  if (from === undefined || duration === undefined)
    return openSegment(archive, recorded, request.range);
  const nowMs = request.now.wallMs;
  const judged = judgePeriod(wishOf(from, duration), { nowMs, depthMs: Infinity });
  if ('reason' in judged) return { kind: 'refusal', status: 400, reason: judged.reason };
  return ending === 'json'
    ? listSegments(archive, recorded, judged.period)
    : openPlaylist(viewing, archive, { request, query, recorded, period: judged.period });
}

async function openOfOrigin(
  { origins }: ArchiveDeps,
  stream: StreamConfig,
  path: string,
  query: ViewerQuery,
): Promise<Answer> {
  const found = await origins.readChild(stream, { path, query: query.others });
  if (found.kind === 'fault') return notFromHere(found.reason);
  return { kind: 'playlist', body: found.bytes, contentType: hlsType, reason: 'archive-own' };
}

async function openSegment(
  { reader }: ArchiveDeps,
  { rungs, file }: Recorded,
  range: string | undefined,
): Promise<Answer> {
  for (const rung of rungs) {
    const opened = await reader.open(rung, file, range);
    if (opened.kind === 'stream')
      return { kind: 'file', file: opened, immutable: opened.status !== 416 };
  }
  return notFromHere('not-found');
}

/** What this node has itself, for a node that makes one playlist of many. */
async function listSegments(
  { reader }: ArchiveDeps,
  { rungs }: Recorded,
  period: Period,
): Promise<Answer> {
  const [rung] = rungs;
  if (rung === undefined) return notFromHere('not-found');
  const blocks = await reader.list(rung, period);
  const slices = takeSegments([{ ...period, blocks, prefix: '' }]);
  const segments = slices.flatMap(({ block, from, to }) => block.slice(from, to));
  return {
    kind: 'playlist',
    body: writeSegmentList(segments),
    contentType: 'application/json',
    reason: 'archive-own',
  };
}

async function openPlaylist(
  viewing: ViewingDeps,
  archive: ArchiveDeps,
  parts: { request: ViewerRequest; query: ViewerQuery; recorded: Recorded; period: Period },
): Promise<Answer> {
  const { request, query, recorded, period } = parts;
  const { stream, rungs } = recorded;
  const arrival = await arrive(viewing, { request, query, stream, opens: undefined });
  if (arrival.kind === 'refused') return denied(arrival.reason);
  const asked: PeriodRequest = {
    ...{ request, arrival, name: stream.name, protocol: 'hls', period, form: 'media' },
    container: rungs.length === 1 ? rungs[0]?.container : undefined,
    candidates: viewing.outlook.candidates(stream.name, request.now),
  };
  const found = await gather(viewing, archive, asked, recorded);
  if ('reason' in found) return notFromHere(found.reason);
  const slices = takeSegments(found.taken);
  if (slices.length === 0) return notFromHere('nothing-recorded');
  // Who reloads a growing playlist watches; so does who loads a playlist without having opened the period here.
  noteWatching(viewing, arrival, { ...request, stream: stream.name });
  const passed = query.pass === undefined ? '' : `?pass=${query.pass}`;
  return {
    kind: 'playlist',
    body: renderPeriod(slices, { grows: period.grows, query: passed }),
    contentType: hlsType,
    reason: found.placement.reason,
    missingS: secondsOf(found.placement.missingMs),
  };
}

type Here = Extract<ArchivePlacement, { pieces: unknown }>;
type Gathered = { readonly taken: readonly Taken[]; readonly placement: Here };

/** The pieces with their segments. A member that does not tell them in time is left out, and the plan is made anew. */
async function gather(
  viewing: ViewingDeps,
  archive: ArchiveDeps,
  asked: PeriodRequest,
  recorded: Recorded,
): Promise<Gathered | Extract<ArchivePlacement, { kind: 'not-found' }>> {
  let { candidates } = asked;
  for (;;) {
    const placement = placePeriod(viewing, archive, { ...asked, candidates });
    if (placement.kind === 'redirect' || placement.kind === 'not-found')
      return { kind: 'not-found', reason: 'nothing-recorded', verdicts: placement.verdicts };
    const lists = await listsOf(viewing, archive, asked, { recorded, placement });
    const silent = lists.filter(({ blocks }) => blocks === undefined).map(({ node }) => node);
    if (silent.length === 0) return { taken: takenFrom(placement.pieces, lists), placement };
    const list = candidates.list.filter(({ node }) => !silent.includes(node.id));
    if (list.length === candidates.list.length)
      return { taken: takenFrom(placement.pieces, lists), placement };
    candidates = { ...candidates, list };
  }
}

type Lists = readonly {
  readonly node: string;
  readonly prefix: string;
  readonly blocks: readonly ArchiveBlock[] | undefined;
}[];

/** The segments of every node that a piece comes from, asked for at once. */
function listsOf(
  viewing: ViewingDeps,
  archive: ArchiveDeps,
  asked: PeriodRequest,
  { recorded, placement }: { recorded: Recorded; placement: Here },
): Promise<Lists> {
  const self = viewing.self().id;
  const nodes = new Set(placement.pieces.flatMap(({ node }) => node ?? []));
  return Promise.all(
    [...nodes].map(async (node) => {
      if (node === self) {
        const rung = recorded.rungs.find(({ container }) => container === placement.container);
        const blocks = rung === undefined ? [] : await archive.reader.list(rung, asked.period);
        return { node, prefix: '', blocks };
      }
      return { node, ...(await peerList(viewing, archive, asked, { recorded, placement, node })) };
    }),
  );
}

async function peerList(
  viewing: ViewingDeps,
  archive: ArchiveDeps,
  { period, request }: PeriodRequest,
  { recorded, placement, node }: { recorded: Recorded; placement: Here; node: string },
) {
  const member = placement.members.find(({ candidate }) => candidate.node.id === node);
  const name = recorded.stream.name;
  const rung =
    member && rungAt(viewing, archive, { name, rung: recorded.rung, candidate: member.candidate });
  if (member === undefined || rung === undefined) return { prefix: '', blocks: undefined };
  const { base, stream } = member.offer;
  const prefix = `${base}${namePath(stream.name)}/${archivePrefix}${rung}/`;
  const part = partOf(placement.pieces, node, period);
  const block = await archive.peerSegments.list(
    base,
    `${prefix}${periodName(part)}.json`,
    request.now,
  );
  return { prefix, blocks: block && [block] };
}

/** From the first to the last piece of a node, in whole minutes so that growing lists are asked for seldom. */
function partOf(pieces: readonly Piece[], node: string, period: Period): Period {
  const span = spanOf(pieces.filter((piece) => piece.node === node)) ?? period;
  const minuteMs = 60_000;
  return {
    startMs: Math.floor(span.startMs / minuteMs) * minuteMs,
    endMs: Math.ceil(span.endMs / minuteMs) * minuteMs,
    grows: false,
  };
}

function takenFrom(pieces: readonly Piece[], lists: Lists): readonly Taken[] {
  return pieces.flatMap(({ startMs, endMs, node }) => {
    const list = lists.find((one) => one.node === node);
    if (list?.blocks === undefined) return [];
    return [{ startMs, endMs, blocks: list.blocks, prefix: list.prefix }];
  });
}
