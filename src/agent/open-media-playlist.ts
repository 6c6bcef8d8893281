import type { Candidates } from '../core/placement/candidates.ts';
import { placeLive } from '../core/placement/live.ts';
import { type Answer, denied, notFromHere } from './answer.ts';
import type { MediaSnapshot } from './live-snapshots.ts';
import type { OriginFault } from './ports.ts';
import {
  leavesByReload,
  noteWatching,
  type Opening,
  placedArrival,
  type ViewingDeps,
  watchingId,
} from './viewing-parts.ts';

/** A player that reloads goes on by itself. */
const nobodyIsSent: ReadonlyMap<string, number> = new Map();

/** A player reloads: the media playlist, the same bytes for everybody, or 404 at once so that it moves on. */
export function openMediaPlaylist(
  deps: ViewingDeps,
  { request, arrival }: Opening,
  {
    name,
    rest,
    candidates,
    snapshot,
  }: {
    readonly name: string;
    /** What the playlist is called behind the name; absent where the answer is for this request only. */
    readonly rest?: string | undefined;
    readonly candidates: Candidates;
    readonly snapshot: MediaSnapshot | OriginFault;
  },
): Answer {
  const { viewer, now } = request;
  const placement = placeLive({
    stream: name,
    form: 'media-playlist',
    viewer,
    arrival: placedArrival(deps, arrival, { name, now }),
    candidates,
    hasPlaylist: snapshot.kind !== 'fault',
    leaves: leavesByReload(deps, arrival, candidates, now),
    sentLately: nobodyIsSent,
  });
  if (placement.kind !== 'serve')
    return notFromHere(placement.kind === 'not-found' ? placement.reason : 'nobody-has-it');
  if (snapshot.kind === 'fault') return notFromHere(snapshot.reason);
  const id = watchingId(arrival, viewer, name);
  if (deps.notes.isEnded(id)) return denied('session-ended');
  noteWatching(deps, arrival, { viewer, stream: name, now });
  deps.sent.note(request.connection, id, snapshot.bytes.length);
  return {
    kind: 'playlist',
    body: snapshot.bytes,
    contentType: snapshot.contentType,
    reason: placement.reason,
    repeat: deps.repeats?.playlist(request, arrival, { id, name, rest, snapshot }),
  };
}
