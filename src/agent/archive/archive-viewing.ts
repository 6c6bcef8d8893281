import type { ArchiveAddress } from '../../core/archive/archive-address.ts';
import { judgePeriod } from '../../core/archive/period.ts';
import { isPlainlyLive, readArchiveAddress } from '../../core/archive/request-forms.ts';
import { dashEntryPath, hlsEntryPath } from '../../core/stream/origin-paths.ts';
import type { StreamConfig } from '../../core/stream/stream.ts';
import type { Now } from '../../core/time.ts';
import type { ViewerQuery } from '../../core/viewer/query.ts';
import { type Answer, denied } from '../answer.ts';
import { arrive, loginRefusal } from '../arrive.ts';
import type { StreamMatch } from '../stream-match.ts';
import type { ViewerRequest, ViewingDeps } from '../viewing-parts.ts';
import { type ArchiveDeps, archivePrefix, depthOf, firstRecordedAt } from './archive-deps.ts';
import { openPeriod } from './open-period.ts';
import { openRecorded } from './open-recorded.ts';
import { archiveUrlOf } from './own-archives.ts';

type Request = { readonly request: ViewerRequest; readonly query: ViewerQuery };
type Asked = Request & { readonly name: string; readonly address: ArchiveAddress };

/**
 * Answers what asks for the archive; undefined for everything else, which is live (`docs/archive.md`). Known live
 * playlists are never taken for archive addresses. `match` is the stream that the path begins with.
 */
export function openArchive(
  viewing: ViewingDeps,
  archive: ArchiveDeps,
  { request, query, match: live }: Request & { readonly match: StreamMatch | undefined },
): Promise<Answer> | undefined {
  const match = live ?? matchXtream(viewing, request.path);
  if (match === undefined) return openUnknown(viewing, archive, { request, query });
  const { stream, rest } = match;
  if (rest.startsWith(archivePrefix))
    return openRecorded(viewing, archive, { request, query, stream, rest });
  const isEntry = rest === hlsEntryPath || rest === dashEntryPath;
  const form = stream.archive && archiveUrlOf(stream.archive);
  if (isPlainlyLive({ rest, query: query.others }, form)) return undefined;
  if (viewing.live.media(stream.name, rest) !== undefined) return undefined;
  const { name } = stream;
  const address = readArchiveAddress(
    {
      rest,
      query: query.others,
      nowMs: request.now.wallMs,
      firstMs: firstRecordedAt(viewing, archive, { name, now: request.now }),
    },
    form,
  );
  if (address === undefined || (!isEntry && !keepsAny(viewing, stream, request.now)))
    return undefined;
  return openAddress(viewing, archive, { request, query, name, address });
}

/** Where no archive is known of, what looks like a period is a file of the origin. */
function keepsAny({ outlook }: ViewingDeps, { name, archive }: StreamConfig, now: Now): boolean {
  if (archive !== undefined) return true;
  return outlook.candidates(name, now).list.some(({ stream }) => stream.archive !== undefined);
}

/** `timeshift/{user}/{password}/{minutes}/{start}/{stream}.m3u8` names its stream at the end. */
function matchXtream({ live }: ViewingDeps, path: string) {
  const [, name = ''] = /^timeshift(?:\/[^/]*){4}\/([^/]+)\.m3u8$/.exec(path) ?? [];
  const stream = live.config(name);
  return stream?.archive?.url === 'xc' ? { stream, rest: path } : undefined;
}

/** A name this node does not carry: peers may. */
function openUnknown(
  viewing: ViewingDeps,
  archive: ArchiveDeps,
  { request, query }: Request,
): Promise<Answer> | undefined {
  const slash = request.path.lastIndexOf('/');
  const name = slash < 1 ? undefined : decoded(request.path.slice(0, slash));
  if (name === undefined) return undefined;
  const nowMs = request.now.wallMs;
  const address = readArchiveAddress(
    { rest: request.path.slice(slash + 1), query: query.others, nowMs, firstMs: nowMs },
    undefined,
  );
  return address && openAddress(viewing, archive, { request, query, name, address });
}

async function openAddress(
  viewing: ViewingDeps,
  archive: ArchiveDeps,
  { request, query, name, address }: Asked,
): Promise<Answer> {
  const { now } = request;
  const candidates = viewing.outlook.candidates(name, now);
  const config = viewing.live.config(name);
  const group = config?.group ?? candidates.list[0]?.stream.group;
  const opens = address.protocol;
  const arrival = await arrive(viewing, { request, query, stream: { name, group }, opens });
  if (arrival.kind === 'refused') return denied(arrival.reason);
  const refusal = loginRefusal(viewing, arrival, request.viewer, now);
  if (refusal !== undefined) return denied(refusal);
  const depthMs = depthOf(viewing, { name, candidates });
  const judged = judgePeriod(address.wish, { nowMs: now.wallMs, depthMs });
  if ('reason' in judged) return { kind: 'refusal', status: 400, reason: judged.reason };
  viewing.audience.noteViewer(request.viewer, now);
  return openPeriod(viewing, archive, {
    ...{ request, arrival, name, candidates, form: 'entry' },
    protocol: address.protocol,
    container: address.container,
    period: judged.period,
    others: address.query,
  });
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
