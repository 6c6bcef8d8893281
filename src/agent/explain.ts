import { judgePeriod, type Period, periodName } from '../core/archive/period.ts';
import { AgentError } from '../core/errors.ts';
import type { Verdict } from '../core/placement/backups.ts';
import type { Candidates } from '../core/placement/candidates.ts';
import { placeLive } from '../core/placement/live.ts';
import { type ReasonCode, reasonTexts } from '../core/reasons.ts';
import type { Now, UnixMs } from '../core/time.ts';
import { observeViewer } from '../core/viewer/observe.ts';
import type { PlayerFamily, Viewer } from '../core/viewer/viewer.ts';
import { type ArchiveDeps, placeDescribed } from './archive/archive-deps.ts';
import type { Drain } from './drain.ts';
import type { LiveStreams } from './live-streams.ts';
import type { Outlook } from './outlook.ts';
import type { Spread } from './spread.ts';
import { namePath } from './viewing-parts.ts';

/** An opening as somebody describes it: who would come, and for what. */
export type DescribedRequest = {
  readonly stream: string;
  readonly protocol: 'hls' | 'dash';
  readonly address: string;
  readonly userAgent?: string | undefined;
  readonly https: boolean;
  /** Of the archive; absent: live. */
  readonly period?: { readonly startAt: UnixMs; readonly endAt: UnixMs } | undefined;
};

type Judged = Verdict & { readonly texts: readonly string[]; readonly offered: boolean };

/** What a viewer would be answered, and why: every candidate with every reason. */
export type Explanation = {
  /** `join`: one playlist of several nodes' pieces, made here. */
  readonly placement: 'serve' | 'join' | 'redirect' | 'not-found';
  readonly reason: ReasonCode;
  readonly text: string;
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
}): (request: DescribedRequest, now: Now) => Promise<Explanation> {
  return async (request, now) => {
    const { stream, protocol, address, userAgent, https: isHttps } = request;
    const viewer = observeViewer({ address, isHttps, userAgent });
    const period = request.period && periodOf(request.period, now);
    if (period === undefined) await loadEntry(deps, request, now);
    const candidates = deps.outlook.candidates(stream, now);
    const placement =
      period === undefined
        ? placeEntry(deps, request, { viewer, candidates, now })
        : placeOfArchive(deps, request, { viewer, candidates, now, period });
    const offers =
      placement.kind === 'redirect'
        ? [placement.target]
        : placement.kind === 'not-found'
          ? []
          : placement.offers;
    const offered = new Set(offers.map(({ node }) => node.id));
    const entryName = entryNameOf(protocol, period);
    const { kind, reason } = placement;
    return {
      ...{ placement: kind, reason, text: reasonTexts[reason] },
      location:
        kind === 'redirect'
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

type Deps = Parameters<typeof createExplain>[0];
type Found = { readonly viewer: Viewer; readonly candidates: Candidates; readonly now: Now };

async function loadEntry({ live }: Deps, { stream, protocol }: DescribedRequest, now: Now) {
  if (protocol === 'hls') {
    if (live.entry(stream) === undefined) await live.load(stream, 'entry', now);
  } else if (live.mpd(stream) === undefined) await live.load(stream, 'mpd', now);
}

function placeEntry(
  { live, spread, drain }: Deps,
  { stream, protocol }: DescribedRequest,
  { viewer, candidates, now }: Found,
) {
  const playlist = protocol === 'hls' ? live.entry(stream) : live.mpd(stream);
  return placeLive({
    ...{ stream, viewer, candidates },
    form: protocol === 'hls' ? 'hls-entry' : 'dash-entry',
    arrival: { kind: 'own' },
    leaves: drain.isToLeave(viewer.key, now),
    hasPlaylist: playlist !== undefined,
    sentLately: spread.sentLately(now),
  });
}

function placeOfArchive(
  { live, spread, archive }: Deps,
  { stream, protocol }: DescribedRequest,
  found: Found & { readonly period: Period },
) {
  if (archive === undefined)
    return { kind: 'not-found', reason: 'nothing-recorded', verdicts: [] } as const;
  return placeDescribed({ live, spread }, archive, {
    ...{ ...found, name: stream, protocol, container: undefined },
    form: 'entry',
    arrival: { kind: 'own' },
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
