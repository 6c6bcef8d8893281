import type { NodeFacts } from '../core/group/node.ts';
import type { PassClaims } from '../core/pass/claims.ts';
import type { Candidates } from '../core/placement/candidates.ts';
import type { ReasonCode } from '../core/reasons.ts';
import type { Now } from '../core/time.ts';
import type { ViewerQuery } from '../core/viewer/query.ts';
import type { Viewer } from '../core/viewer/viewer.ts';
import type { Admission } from './admission.ts';
import type { ArchiveDeps } from './archive/archive-deps.ts';
import type { Arrival, Arrivals } from './arrivals.ts';
import type { Audience } from './audience.ts';
import type { Drain } from './drain.ts';
import type { Staging } from './drill/staging.ts';
import type { LiveStreams } from './live-streams.ts';
import type { LoginSlots } from './login-slots.ts';
import type { Outlook } from './outlook.ts';
import type { Passes } from './passes.ts';
import type { NewId } from './ports.ts';
import type { SentBytes } from './sent-bytes.ts';
import type { SessionNotes } from './session-notes.ts';
import type { SessionStart, Sessions } from './sessions.ts';
import type { Spread } from './spread.ts';
import type { StandIn } from './stand-in.ts';
import type { ViewerAuth } from './viewer-auth.ts';
import type { ViewingKeys } from './viewing-keys.ts';
import type { Repeats } from './workers/repeats.ts';

/** What every request of a viewer is made from. */
export type ViewerRequest = {
  readonly viewer: Viewer;
  /** Host and port as the viewer named them, lower case; empty when it did not. */
  readonly host: string;
  /** Path without the leading slash, percent-encoded as received. */
  readonly path: string;
  /** Raw query without `?`; empty when there is none. */
  readonly query: string;
  /** Value of the Range header. */
  readonly range?: string | undefined;
  /** What stands behind `Authorization: Bearer`. */
  readonly bearer?: string | undefined;
  readonly userAgent?: string | undefined;
  /** Same object: same connection; absent where it may be shared by viewers, as behind a proxy. */
  readonly connection?: object | undefined;
  readonly now: Now;
};

export type ViewingDeps = {
  readonly self: () => NodeFacts;
  readonly live: LiveStreams;
  readonly archive: ArchiveDeps;
  readonly outlook: Outlook;
  readonly standIn: (host: string, path: string, now: Now) => StandIn | undefined;
  readonly arrivals: Arrivals;
  readonly passes: Passes;
  readonly keys: ViewingKeys;
  readonly sessions: Sessions;
  readonly audience: Pick<Audience, 'noteViewer'>;
  readonly admission: Admission;
  readonly drain: Pick<Drain, 'isToLeave'>;
  readonly staging: Staging;
  readonly notes: Pick<SessionNotes, 'isEnded'>;
  readonly slots: LoginSlots;
  readonly sent: SentBytes;
  /** Absent: viewers need no token. */
  readonly auth?: ViewerAuth | undefined;
  readonly spread: Spread;
  readonly newId: NewId;
  /** Absent: there are no workers. */
  readonly repeats?: Repeats | undefined;
};

export type GoodArrival = Exclude<Arrival, { kind: 'refused' }>;

/** One opening of a stream, with everything that had to be waited for. */
export type Opening = {
  readonly request: ViewerRequest;
  readonly query: ViewerQuery;
  readonly arrival: GoodArrival;
};

/** The rate of a stream's largest variant, bit/s: what a viewer may come to need. */
export function rateOf(live: Pick<LiveStreams, 'facts'>, name: string): number | undefined {
  let rate: number | undefined;
  for (const { bandwidth } of live.facts(name)?.hls?.ladder?.variants ?? [])
    if (rate === undefined || bandwidth > rate) rate = bandwidth;
  return rate;
}

/** Viewers of other nodes are let in while this node may take more; one that is in already always is. */
function admissionRefusal(
  { admission, live }: ViewingDeps,
  arrival: GoodArrival,
  asked: { readonly name: string; readonly now: Now },
): ReasonCode | undefined {
  if (arrival.kind === 'own' || arrival.isActive) return undefined;
  return admission.refusal(arrival.home, rateOf(live, asked.name), asked.now);
}

/** The arrival in placement's terms. */
export function placedArrival(
  deps: ViewingDeps,
  arrival: GoodArrival,
  asked: { readonly name: string; readonly now: Now },
) {
  return arrival.kind === 'own' && arrival.hops.length === 0
    ? ({ kind: 'own' } as const)
    : ({
        kind: 'backup',
        home: arrival.home,
        hops: arrival.hops,
        refusal: admissionRefusal(deps, arrival, asked),
      } as const);
}

/**
 * Whether a viewer who reloads is to be moved off this node: it will be answered 404, so it must hold a backup that
 * can serve it now.
 */
export function leavesByReload(
  { drain }: ViewingDeps,
  arrival: GoodArrival,
  candidates: Candidates,
  now: Now,
): boolean {
  return (
    arrival.session !== undefined &&
    candidates.list.some(
      ({ node, target }) => arrival.nodes.includes(node.id) && target.hls.eligible,
    ) &&
    drain.isToLeave(arrival.session, now)
  );
}

/** Why a viewer who reloads is not served whatever the playlist will say: known before anything is waited for. */
export function reloadRefusal(
  deps: ViewingDeps,
  arrival: GoodArrival,
  asked: { readonly name: string; readonly candidates: Candidates; readonly now: Now },
): ReasonCode | undefined {
  const placed = placedArrival(deps, arrival, asked);
  if (placed.kind === 'backup' && placed.refusal !== undefined) return placed.refusal;
  return leavesByReload(deps, arrival, asked.candidates, asked.now) ? 'draining' : undefined;
}

/** A session that begins, `Viewer.key` of who watches, and how many its login may have, where that was asked for. */
type ViewerStart = SessionStart & Pick<GoodArrival, 'sessionsMax'> & { readonly viewerKey: string };

/** The session of a viewer who watches: from its pass, else made of address, player and stream. */
export function watchingId(arrival: GoodArrival, viewer: Viewer, stream: string): string {
  const isFromPass = arrival.nodes.length > 0;
  return (isFromPass ? arrival.session : undefined) ?? `direct|${viewer.key}|${stream}`;
}

/** The session of who watches `stream`, as it begins. */
export function sessionOf(
  arrival: GoodArrival,
  viewer: Viewer,
  of: { readonly id: string; readonly stream: string; readonly backups: readonly string[] },
): ViewerStart {
  const { id, stream, backups } = of;
  const { kind, home, login, sessionsMax } = arrival;
  const { key: viewerKey, family } = viewer;
  return { id, stream, backups, viewerKey, kind, home, login, sessionsMax, family };
}

/** Who loads a playlist without having opened the stream here watches, too; the backups are those of the pass. */
export function noteWatching(
  deps: ViewingDeps,
  arrival: GoodArrival,
  { viewer, stream, now }: { viewer: Viewer; stream: string; now: Now },
): void {
  const id = watchingId(arrival, viewer, stream);
  if (isStillWatching(deps, arrival, { id, viewer, now })) return;
  const self = deps.self().id;
  const backups = arrival.nodes.filter((node) => node !== self && node !== arrival.home);
  startSession(deps, sessionOf(arrival, viewer, { id, stream, backups }), now);
}

/** Notes a request of a session that was seen a while ago; false when there is none of this id. */
export function isStillWatching(
  deps: ViewingDeps,
  { login, sessionsMax }: GoodArrival,
  { id, viewer, now }: { id: string; viewer: Viewer; now: Now },
): boolean {
  if (!deps.sessions.touch(id, now)) return false;
  holdSlot(deps, { id, login, viewerKey: viewer.key, sessionsMax }, now);
  return true;
}

/** Starts a session, or goes on with it; a new one counts for admission until its load shows. */
export function startSession(deps: ViewingDeps, start: ViewerStart, now: Now): void {
  const { sessions, admission, live } = deps;
  holdSlot(deps, start, now);
  if (!sessions.isActive(start.id, now))
    admission.noteStart(start.home, rateOf(live, start.stream), now);
  sessions.start(start, now);
}

/** Takes or keeps the slot of the session's login, if it has one. */
export function holdSlot(
  { slots }: ViewingDeps,
  start: Pick<ViewerStart, 'id' | 'login' | 'viewerKey' | 'sessionsMax'>,
  now: Now,
): void {
  const { id, login, viewerKey, sessionsMax } = start;
  if (login !== undefined) slots.take({ session: id, login, viewerKey }, now, sessionsMax);
}

/** Claims of a pass for `nodes`, valid from now for the configured time. */
export function passClaims(parts: {
  readonly home: string;
  readonly nodes: readonly string[];
  readonly session: string;
  readonly group: string;
  readonly login?: string | undefined;
  readonly hops: readonly string[];
  readonly ttlS: number;
  readonly now: Now;
}): PassClaims {
  const { home: iss, nodes: aud, session: sub, group: grp, login, hops: hop } = parts;
  const iat = Math.floor(parts.now.wallMs / 1000);
  const exp = iat + parts.ttlS;
  return login === undefined
    ? { iss, aud, sub, grp, iat, nbf: iat, exp, hop }
    : { iss, aud, sub, grp, lgn: login, iat, nbf: iat, exp, hop };
}

/** A stream's name as the path of a URL. */
export function namePath(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}
