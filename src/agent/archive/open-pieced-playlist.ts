import { type Period, periodName } from '../../core/archive/period.ts';
import { withPass } from '../../core/archive/period-playlist.ts';
import type { ArchivePlacement } from '../../core/archive/place-archive.ts';
import type { Piece } from '../../core/archive/plan.ts';
import { spanOf, type TimeRange } from '../../core/archive/ranges.ts';
import { type Taken, takeSegments } from '../../core/archive/take-segments.ts';
import { type Answer, notFromHere } from '../answer.ts';
import type { ArchiveBlock } from '../archive-ports.ts';
import type { ViewingDeps } from '../viewing-parts.ts';
import { type ArchiveDeps, type PeriodRequest, placePeriod, rungAt } from './archive-deps.ts';
import { askSegments, recordedFolder } from './peer-lists.ts';
import { type RecordedAsked, secondsOf, servePlaylist } from './recorded-parts.ts';

/** Two segments, as long as they usually are: how much more than a piece is taken where nodes change, ms. */
const seamMs = 30_000;

type Here = Extract<ArchivePlacement, { pieces: unknown }>;
type Gathered = { readonly taken: readonly Taken[]; readonly placement: Here };
type NotFound = Extract<ArchivePlacement, { kind: 'not-found' }>;

/** The media playlist of a period: of this node's segments and, where it lacks some, of others'. */
export async function openPiecedPlaylist(
  viewing: ViewingDeps,
  archive: ArchiveDeps,
  asked: RecordedAsked & { readonly period: Period },
): Promise<Answer> {
  const { request, query, arrival, stream, rungs, period } = asked;
  const { name } = stream;
  const wish: PeriodRequest = {
    ...{ request, arrival, name, protocol: 'hls', period, form: 'media' },
    container: rungs.length === 1 ? rungs[0]?.container : undefined,
    candidates: viewing.outlook.candidates(name, request.now),
  };
  const found = await gather(viewing, archive, wish, asked);
  if ('reason' in found) return notFromHere(found.reason);
  const slices = takeSegments(found.taken);
  if (slices.length === 0) return notFromHere('nothing-recorded');
  const passed = query.pass === undefined ? '' : `?pass=${query.pass}`;
  const key = `${name} ${asked.rung} ${periodName(period)}`;
  const text = archive.periodTexts.join(key, slices, {
    grows: period.grows,
    node: viewing.self().id,
  });
  return servePlaylist(
    viewing,
    { request, arrival, name },
    {
      body: withPass(text, passed),
      reason: found.placement.reason,
      missingS: secondsOf(found.placement.missingMs),
    },
  );
}

/** The pieces with their segments. A member that does not tell them in time is left out, and the plan is made anew. */
async function gather(
  viewing: ViewingDeps,
  archive: ArchiveDeps,
  wish: PeriodRequest,
  recorded: RecordedAsked,
): Promise<Gathered | NotFound> {
  let { candidates } = wish;
  for (;;) {
    const placement = placePeriod(viewing, archive, { ...wish, candidates });
    if (placement.kind === 'redirect' || placement.kind === 'not-found')
      return { kind: 'not-found', reason: 'nothing-recorded', verdicts: placement.verdicts };
    const lists = await listsOf(viewing, archive, wish, { recorded, placement });
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
  wish: PeriodRequest,
  { recorded, placement }: { recorded: RecordedAsked; placement: Here },
): Promise<Lists> {
  const self = viewing.self().id;
  const nodes = new Set(placement.pieces.flatMap(({ node }) => node ?? []));
  return Promise.all(
    [...nodes].map(async (node) => {
      if (node === self) {
        const rung = recorded.rungs.find(({ container }) => container === placement.container);
        const blocks = rung === undefined ? [] : await archive.reader.list(rung, wish.period);
        return { node, prefix: '', blocks };
      }
      return { node, ...(await peerList(viewing, archive, wish, { recorded, placement, node })) };
    }),
  );
}

async function peerList(
  viewing: ViewingDeps,
  archive: ArchiveDeps,
  { period, request, name }: PeriodRequest,
  { recorded, placement, node }: { recorded: RecordedAsked; placement: Here; node: string },
) {
  const member = placement.members.find(({ candidate }) => candidate.node.id === node);
  const rung =
    member && rungAt(viewing, archive, { name, rung: recorded.rung, candidate: member.candidate });
  if (member === undefined || rung === undefined) return { prefix: '', blocks: undefined };
  const of = { member: member.offer, base: member.offer.base, rung };
  const { peerSegments } = archive;
  const span = spanOfPieces(placement.pieces, node) ?? period;
  const blocks = await askSegments({ ...viewing, peerSegments }, of, span, request.now);
  return { prefix: recordedFolder(of), blocks };
}

/** From the first to the last piece of a node, and what may be taken beyond. */
function spanOfPieces(pieces: readonly Piece[], node: string): TimeRange | undefined {
  const span = spanOf(pieces.filter((piece) => piece.node === node));
  return span && { startMs: span.startMs - seamMs, endMs: span.endMs + seamMs };
}

function takenFrom(pieces: readonly Piece[], lists: Lists): readonly Taken[] {
  let lostMs = 0;
  return pieces.flatMap(({ startMs, endMs, node, isLost }) => {
    if (isLost === true) lostMs += endMs - startMs;
    const list = lists.find((one) => one.node === node);
    if (list?.blocks === undefined) return [];
    const taken = { startMs, endMs, blocks: list.blocks, prefix: list.prefix, lostMs };
    lostMs = 0;
    return [taken];
  });
}
