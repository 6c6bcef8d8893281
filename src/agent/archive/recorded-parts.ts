import type { StreamConfig } from '../../core/stream/stream.ts';
import type { ViewerQuery } from '../../core/viewer/query.ts';
import { type Answer, denied } from '../answer.ts';
import type { ArchivedRung } from '../archive-ports.ts';
import {
  type GoodArrival,
  noteWatching,
  type ViewerRequest,
  type ViewingDeps,
  watchingId,
} from '../viewing-parts.ts';

/** A viewer who may watch asks for something recorded. */
export type RecordedAsked = {
  readonly request: ViewerRequest;
  readonly query: ViewerQuery;
  readonly arrival: GoodArrival;
  readonly stream: StreamConfig;
  /** The recorded rung, and what is here of it: one for each container. */
  readonly rung: string;
  readonly rungs: readonly ArchivedRung[];
};

export const hlsType = 'application/vnd.apple.mpegurl';

/** A playlist for somebody who watches, with or without having opened the period here; nobody whose session was ended does. */
export function servePlaylist(
  viewing: ViewingDeps,
  asked: { request: ViewerRequest; arrival: GoodArrival; name: string },
  playlist: Omit<Extract<Answer, { kind: 'playlist' }>, 'kind' | 'contentType'> & {
    readonly contentType?: string;
  },
): Answer {
  const { request, arrival, name } = asked;
  const id = watchingId(arrival, request.viewer, name);
  if (viewing.notes.isEnded(id)) return denied('session-ended');
  noteWatching(viewing, arrival, { ...request, stream: name });
  viewing.sent.note(request.connection, id, playlist.body.length);
  const repeat = viewing.repeats?.once(id);
  return { kind: 'playlist', contentType: hlsType, ...playlist, repeat };
}

export function secondsOf(ms: number): number {
  return Math.round(ms / 1_000);
}
