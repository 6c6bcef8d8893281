import { readListed } from '../../core/archive/listed-periods.ts';
import { readOriginName } from '../../core/archive/origin-segments.ts';
import { judgePeriod, wishOf } from '../../core/archive/period.ts';
import { writeSegmentList } from '../../core/archive/segment-list.ts';
import { takeSegments } from '../../core/archive/take-segments.ts';
import type { ReasonCode } from '../../core/reasons.ts';
import type { StreamConfig } from '../../core/stream/stream.ts';
import type { ViewerQuery } from '../../core/viewer/query.ts';
import { type Answer, denied, notFromHere } from '../answer.ts';
import type { ArchivedRung } from '../archive-ports.ts';
import { arrive } from '../arrive.ts';
import type { ViewerRequest, ViewingDeps } from '../viewing-parts.ts';
import { type ArchiveDeps, archivePrefix } from './archive-deps.ts';
import { openPiecedPlaylist } from './open-pieced-playlist.ts';
import { originPrefix } from './origin-archives.ts';
import { type RecordedAsked, servePlaylist } from './recorded-parts.ts';

type Parts = {
  readonly request: ViewerRequest;
  readonly query: ViewerQuery;
  readonly stream: StreamConfig;
  readonly rest: string;
};

/**
 * What lies below {@link archivePrefix}: a media playlist of a period, the list of segments that another node asks for, or
 * a segment. As on live only segments are given to everybody.
 */
export async function openRecorded(
  viewing: ViewingDeps,
  archive: ArchiveDeps,
  { request, query, stream, rest }: Parts,
): Promise<Answer> {
  const path = rest.slice(archivePrefix.length);
  const slash = path.lastIndexOf('/');
  const [rung, file] = [path.slice(0, Math.max(slash, 0)), path.slice(slash + 1)];
  const rungs = archive.reader.rungs(stream.name).filter((recorded) => recorded.rung === rung);
  const isOfOrigin = rest.startsWith(originPrefix);
  const [, from = '', duration = '', ending] = /^(\d+)-(\d+|now)\.(m3u8|json)$/.exec(file) ?? [];
  if (!isOfOrigin && ending === undefined)
    return openSegment(viewing, archive, { request, stream, rungs, file });
  const arrival = await arrive(viewing, { request, query, stream, opens: undefined });
  if (arrival.kind === 'refused') return denied(arrival.reason);
  const asked: RecordedAsked = { request, query, arrival, stream, rung, rungs };
  if (isOfOrigin) return openOfOrigin(viewing, archive, asked, rest.slice(originPrefix.length));
  if (ending === 'json') return listSegments(archive, asked, from, duration);
  const wish = wishOf(from, duration);
  const judged = judgePeriod(wish, { nowMs: request.now.wallMs, depthMs: Infinity });
  if ('reason' in judged) return malformed(judged.reason);
  return openPiecedPlaylist(viewing, archive, { ...asked, period: judged.period });
}

/** A playlist that one of the media server's own archive named; of no other streams, whatever lies there. */
async function openOfOrigin(
  viewing: ViewingDeps,
  { origins }: ArchiveDeps,
  { request, query, arrival, stream }: RecordedAsked,
  path: string,
): Promise<Answer> {
  const { name } = stream;
  if (stream.archive === undefined) return notFromHere('nothing-recorded');
  const found = await origins.readChild(stream, { path, query: query.others });
  if (found.kind === 'fault') return notFromHere(found.reason);
  return servePlaylist(
    viewing,
    { request, arrival, name },
    { body: found.bytes, reason: 'archive-own' },
  );
}

async function openSegment(
  { sent, live }: ViewingDeps,
  { reader }: ArchiveDeps,
  parts: {
    readonly request: ViewerRequest;
    readonly stream: StreamConfig;
    readonly rungs: readonly ArchivedRung[];
    readonly file: string;
  },
): Promise<Answer> {
  const { request, stream, rungs, file } = parts;
  const path = stream.archive === undefined ? undefined : readOriginName(file);
  const opens =
    path === undefined
      ? rungs.map((rung) => () => reader.open(rung, file, request.range))
      : [() => live.open(stream.name, path, '', request.range)];
  for (const open of opens) {
    const opened = await open();
    if (opened.kind === 'fault') continue;
    sent.noteFile(request.connection, opened);
    return { kind: 'file', file: opened, immutable: opened.status !== 416 };
  }
  return notFromHere('not-found');
}

/** What this node has itself, for a node that makes one playlist of many. */
async function listSegments(
  { reader }: ArchiveDeps,
  { rungs }: RecordedAsked,
  from: string,
  duration: string,
): Promise<Answer> {
  const listed = readListed(from, duration);
  if ('reason' in listed) return malformed(listed.reason);
  const [rung] = rungs;
  if (rung === undefined) return notFromHere('not-found');
  const blocks = await reader.list(rung, listed.period);
  const slices = takeSegments([{ ...listed.period, blocks, prefix: '' }]);
  const segments = slices.flatMap(({ block, from, to }) => block.slice(from, to));
  return {
    kind: 'playlist',
    body: writeSegmentList(segments),
    contentType: 'application/json',
    reason: 'archive-own',
  };
}

function malformed(reason: ReasonCode): Answer {
  return { kind: 'refusal', status: 400, reason };
}
