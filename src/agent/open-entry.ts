import { passGroup } from '../core/pass/claims.ts';
import type { Candidates } from '../core/placement/candidates.ts';
import { type Placement, placeLive } from '../core/placement/live.ts';
import { renderMultivariant } from '../core/playlist/render-multivariant.ts';
import { withLocation } from '../core/stream/mpd.ts';
import { type Answer, denied, notFromHere } from './answer.ts';
import { loginRefusal } from './arrive.ts';
import type { Entry, MpdSnapshot } from './live-snapshots.ts';
import { passElsewhere } from './pass-elsewhere.ts';
import { hostsOfNode } from './stand-in.ts';
import {
  isStillWatching,
  namePath,
  type Opening,
  passClaims,
  placedArrival,
  sessionOf,
  startSession,
  type ViewerRequest,
  type ViewingDeps,
  watchingId,
} from './viewing-parts.ts';

/** The stream as it is asked for here; without `group` where only peers may know one. */
type Asked = { readonly name: string; readonly group?: string | undefined };
type Form = 'hls-entry' | 'dash-entry';
type Served = Extract<Placement, { kind: 'serve' }>;

const entryNames = { 'hls-entry': 'index.m3u8', 'dash-entry': 'manifest.mpd' } as const;

/**
 * A viewer opens a stream: the multivariant playlist or MPD with what this viewer may know, a redirect to a node that
 * can serve it, or 404. What had to be read is read; from here to the decision nothing is waited for.
 */
export function openEntry(
  deps: ViewingDeps,
  opening: Opening & {
    readonly asked: Asked;
    readonly form: Form;
    readonly candidates: Candidates;
    /** The playlist here, if there is one. */
    readonly entry?: Entry | undefined;
    readonly mpd?: MpdSnapshot | undefined;
    /** Whether the viewer is to watch elsewhere, if it can, whatever is served here. */
    readonly leaves?: boolean | undefined;
  },
): Answer {
  const { request, arrival, asked, form, candidates, entry, mpd } = opening;
  const refusal = loginRefusal(deps, arrival, request.viewer, request.now);
  if (refusal !== undefined) return denied(refusal);
  const placement = placeLive({
    stream: asked.name,
    form,
    viewer: request.viewer,
    arrival: placedArrival(deps, arrival, { name: asked.name, now: request.now }),
    candidates,
    leaves:
      opening.leaves === true ||
      deps.drain.isToLeave(arrival.session ?? request.viewer.key, request.now),
    hasPlaylist: (form === 'hls-entry' ? entry : mpd) !== undefined,
    sentLately: deps.spread.sentLately(request.now),
  });
  switch (placement.kind) {
    case 'not-found':
      return notFromHere(placement.reason);
    case 'redirect':
      return redirect(deps, opening, placement);
    case 'serve':
      return form === 'hls-entry'
        ? serveMultivariant(deps, opening, placement)
        : serveMpd(deps, opening, placement);
  }
}

/** Players load the MPD again and again: each time the viewer goes on watching. */
function serveMpd(
  deps: ViewingDeps,
  opening: Opening & { readonly asked: Asked; readonly mpd?: MpdSnapshot | undefined },
  { reason }: Served,
): Answer {
  const { request, arrival, asked, mpd } = opening;
  if (mpd === undefined) return notFromHere('starting');
  const { viewer, now } = request;
  const { name: stream } = asked;
  const id = watchingId(arrival, viewer, stream);
  if (deps.notes.isEnded(id)) return denied('session-ended');
  if (!isStillWatching(deps, arrival, { id, viewer, now }))
    startSession(deps, sessionOf(arrival, viewer, { id, stream, backups: [] }), now);
  // A proxy that does not pass the host on would make of it an address that nobody can use.
  const isSentHere = arrival.hops.length > 0 && hostsOfNode(deps.self()).includes(request.host);
  const body =
    isSentHere && mpd.location !== undefined
      ? withLocation(mpd.text, mpd.location, addressOf(request))
      : mpd.text;
  return { kind: 'playlist', body, contentType: mpd.contentType, reason };
}

/** As the viewer named it. */
function addressOf({ viewer, host, path, query }: ViewerRequest): string {
  return `${viewer.isHttps ? 'https' : 'http'}://${host}/${path}${query === '' ? '' : `?${query}`}`;
}

/** The playlist of one viewer: one pass good here and at the backups, which are named behind every variant. */
function serveMultivariant(
  deps: ViewingDeps,
  opening: Opening & { readonly asked: Asked; readonly entry?: Entry | undefined },
  placement: Served,
): Answer {
  const { request, arrival, asked, entry } = opening;
  if (entry === undefined) return notFromHere('starting');
  const { viewer, now } = request;
  const self = deps.self();
  const { session: known, nodes: had } = arrival;
  // Without a pass the session is a new one, whoever the viewer is.
  const session = known ?? deps.newId();
  const asker = {
    viewerKey: viewer.key,
    session: had.length > 0 ? known : undefined,
    had,
    stream: asked.name,
  };
  const signing = placement.offers.length > 0 ? deps.keys.signing() : undefined;
  const chosen = signing === undefined ? [] : deps.spread.pick(placement.offers, asker, now);
  const backupIds = chosen.map(({ node }) => node.id);
  const begun = { id: session, stream: asked.name, backups: backupIds };
  startSession(deps, sessionOf(arrival, viewer, begun), now);
  const claims = passClaims({
    home: arrival.home,
    nodes: [self.id, ...backupIds],
    session,
    group: passGroup(asked),
    login: arrival.login,
    hops: arrival.hops,
    ttlS: self.passTtlS,
    now,
  });
  const pass = deps.passes.issue(claims, signing ?? deps.keys.ownKey());
  const backups = chosen.flatMap(({ base, stream }) =>
    stream.hls?.ladder === undefined
      ? []
      : [{ base: `${base}${namePath(stream.name)}/`, ladder: stream.hls.ladder }],
  );
  const body = renderMultivariant(entry.template, { pass, backups, repeat: backups.length > 0 });
  deps.sent.note(request.connection, session, body.length);
  return {
    kind: 'playlist',
    body,
    contentType: 'application/vnd.apple.mpegurl',
    reason: placement.reason,
    repeat: deps.repeats?.once(session),
  };
}

function redirect(
  deps: ViewingDeps,
  opening: Opening & { readonly form: Form },
  placement: Extract<Placement, { kind: 'redirect' }>,
): Answer {
  const { query, form } = opening;
  const { target, reason } = placement;
  const pass = passElsewhere(deps, opening, placement);
  if (pass === undefined) return notFromHere('key-not-in-force');
  const others = query.others === '' ? '' : `${query.others}&`;
  const entry = `${namePath(target.stream.name)}/${entryNames[form]}`;
  return { kind: 'redirect', location: `${target.base}${entry}?${others}pass=${pass}`, reason };
}
