import { judgePeriod, type Period, periodName } from '../core/archive/period.ts';
import type { ArchivePlacement } from '../core/archive/place-archive.ts';
import { AgentError } from '../core/errors.ts';
import type { Offer, Verdict } from '../core/placement/backups.ts';
import type { Candidates } from '../core/placement/candidates.ts';
import { type Placement, placeLive } from '../core/placement/live.ts';
import { type ReasonCode, reasonTexts } from '../core/reasons.ts';
import type { Now, UnixMs } from '../core/time.ts';
import { observeViewer } from '../core/viewer/observe.ts';
import type { PlayerFamily, Viewer } from '../core/viewer/viewer.ts';
import type { Admission } from './admission.ts';
import { type ArchiveDeps, placeDescribed } from './archive/archive-deps.ts';
import type { Drain } from './drain.ts';
import { type Access, explainAccess } from './explain-access.ts';
import type { LiveStreams } from './live-streams.ts';
import type { LoginSlots } from './login-slots.ts';
import type { Outlook } from './outlook.ts';
import type { Spread } from './spread.ts';
import type { ViewerAuth } from './viewer-auth.ts';
import { namePath, rateOf } from './viewing-parts.ts';

/** An opening as somebody describes it: who would come, and for what. */
export type DescribedRequest = {
  readonly stream: string;
  readonly protocol: 'hls' | 'dash';
  readonly address: string;
  readonly userAgent?: string | undefined;
  readonly https: boolean;
  /** What the viewer brings to be let in, where that is asked for. A secret of the viewer's. */
  readonly token?: string | undefined;
  /** Another node, by which the viewer comes with a pass as to a backup; absent: here first, without a pass. */
  readonly home?: string | undefined;
  /** Of the archive; absent: live. */
  readonly period?: { readonly startAt: UnixMs; readonly endAt: UnixMs } | undefined;
};

type Judged = Verdict & { readonly texts: readonly string[]; readonly offered: boolean };

/** What a viewer would be answered, and why: every candidate with every reason. */
export type Explanation = {
  /** `join`: one playlist of several nodes' pieces, made here; `refused`: not let in, wherever the stream is. */
  readonly placement: 'serve' | 'join' | 'redirect' | 'not-found' | 'refused';
  readonly reason: ReasonCode;
  readonly text: string;
  readonly access: Access & { readonly text?: string | undefined };
  /** Where the viewer would be sent, without pass. */
  readonly location?: string | undefined;
  readonly viewer: {
    readonly address: string;
    readonly isPublic: boolean;
    readonly isHttps: boolean;
    readonly family: PlayerFamily;
    readonly followsBackups: boolean;
  };
  /** This node first where it was judged, then by node. Of those `offered`, up to two are named, evenly chosen. */
  readonly candidates: readonly Judged[];
};

/**
 * Decides a described request as a real one would be, of a viewer who comes here first. Changes nothing, except that a
 * stream whose playlist is not known is read as for a viewer.
 */
export function createExplain(deps: {
  readonly live: Pick<LiveStreams, 'entry' | 'mpd' | 'facts' | 'load'>;
  readonly outlook: Pick<Outlook, 'candidates'>;
  readonly spread: Pick<Spread, 'sentLately'>;
  readonly drain: Pick<Drain, 'isToLeave'>;
  readonly archive?: Pick<ArchiveDeps, 'reader' | 'archives'> | undefined;
  readonly auth?: Pick<ViewerAuth, 'check'> | undefined;
  readonly slots: Pick<LoginSlots, 'takenByOthers'>;
  readonly admission: Pick<Admission, 'wouldRefuse'>;
}): (request: DescribedRequest, now: Now) => Promise<Explanation> {
  return async (request, now) => {
    const { stream, protocol, address, userAgent, https: isHttps } = request;
    const viewer = observeViewer({ address, isHttps, userAgent });
    const period = request.period && periodOf(request.period, now);
    const access = await explainAccess(deps, { ...request, viewer }, now);
    if (period === undefined) await loadEntry(deps, request, now);
    const candidates = deps.outlook.candidates(stream, now);
    const placement =
      period === undefined
        ? placeEntry(deps, request, { viewer, candidates, now })
        : placeOfArchive(deps, request, { viewer, candidates, now, period });
    const offered = new Set(offersOf(placement).map(({ node }) => node.id));
    const entryName = entryNameOf(protocol, period);
    const { reason: refusal } = access;
    const reason = refusal ?? placement.reason;
    return {
      placement: refusal === undefined ? placement.kind : 'refused',
      ...{ reason, text: reasonTexts[reason] },
      access: { ...access, text: refusal && reasonTexts[refusal] },
      location:
        placement.kind === 'redirect' && refusal === undefined
          ? `${placement.target.base}${namePath(placement.target.stream.name)}/${entryName}`
          : undefined,
      viewer: {
        address: viewer.address,
        isPublic: viewer.isPublic,
        isHttps: viewer.isHttps,
        family: viewer.family,
        followsBackups: viewer.followsBackups,
      },
      candidates: placement.verdicts.map((verdict) => ({
        ...verdict,
        texts: verdict.reasons.map((code) => reasonTexts[code]),
        offered: offered.has(verdict.node),
      })),
    };
  };
}

function offersOf(placement: Placement | ArchivePlacement): readonly Offer[] {
  switch (placement.kind) {
    case 'redirect':
      return [placement.target];
    case 'not-found':
      return [];
    default:
      return placement.offers;
  }
}

type Deps = Parameters<typeof createExplain>[0];
type Found = { readonly viewer: Viewer; readonly candidates: Candidates; readonly now: Now };

async function loadEntry({ live }: Deps, { stream, protocol }: DescribedRequest, now: Now) {
  if (protocol === 'hls') {
    if (live.entry(stream) === undefined) await live.load(stream, 'entry', now);
  } else if (live.mpd(stream) === undefined) await live.load(stream, 'mpd', now);
}

/** As a real one would come; whether it is let in as a viewer of another node is judged as for one more. */
function arrivalOf(
  { admission, live }: Deps,
  { home, stream }: DescribedRequest,
  { candidates, now }: Found,
) {
  if (home === undefined || home === candidates.self.id) return { kind: 'own' } as const;
  const refusal = admission.wouldRefuse(home, rateOf(live, stream), now);
  return { kind: 'backup', home, hops: [], refusal } as const;
}

function placeEntry(deps: Deps, request: DescribedRequest, found: Found) {
  const { live, spread, drain } = deps;
  const { stream, protocol } = request;
  const { viewer, candidates, now } = found;
  const playlist = protocol === 'hls' ? live.entry(stream) : live.mpd(stream);
  return placeLive({
    ...{ stream, viewer, candidates },
    form: protocol === 'hls' ? 'hls-entry' : 'dash-entry',
    arrival: arrivalOf(deps, request, found),
    leaves: drain.isToLeave(viewer.key, now),
    hasPlaylist: playlist !== undefined,
    sentLately: spread.sentLately(now),
  });
}

function placeOfArchive(
  deps: Deps,
  request: DescribedRequest,
  found: Found & { readonly period: Period },
) {
  const { live, spread, archive } = deps;
  const { stream, protocol } = request;
  if (archive === undefined)
    return { kind: 'not-found', reason: 'nothing-recorded', verdicts: [] } as const;
  return placeDescribed({ live, spread }, archive, {
    ...{ ...found, name: stream, protocol, container: undefined },
    form: 'entry',
    arrival: arrivalOf(deps, request, found),
  });
}

/** @throws invalid with the reason why it is no period */
function periodOf(asked: { startAt: UnixMs; endAt: UnixMs }, now: Now): Period {
  const wish = { fromMs: asked.startAt, until: asked.endAt };
  const judged = judgePeriod(wish, { nowMs: now.wallMs, depthMs: Infinity });
  if ('reason' in judged) throw new AgentError('invalid', reasonTexts[judged.reason]);
  return judged.period;
}

function entryNameOf(protocol: 'hls' | 'dash', period: Period | undefined): string {
  const [name, ending] = protocol === 'hls' ? ['index', 'm3u8'] : ['manifest', 'mpd'];
  return `${name}${period === undefined ? '' : `-${periodName(period)}`}.${ending}`;
}
