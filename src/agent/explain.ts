import type { Verdict } from '../core/placement/backups.ts';
import { placeLive } from '../core/placement/live.ts';
import { type ReasonCode, reasonTexts } from '../core/reasons.ts';
import type { Now } from '../core/time.ts';
import { observeViewer } from '../core/viewer/observe.ts';
import type { PlayerFamily } from '../core/viewer/viewer.ts';
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
};

type Judged = Verdict & { readonly texts: readonly string[]; readonly offered: boolean };

/** What a viewer would be answered, and why: every candidate with every reason. */
export type Explanation = {
  readonly placement: 'serve' | 'redirect' | 'not-found';
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

/** Decides a described request as a real one would be, of a viewer who comes here first; changes nothing. */
export function createExplain(deps: {
  readonly live: Pick<LiveStreams, 'entry' | 'mpd'>;
  readonly outlook: Pick<Outlook, 'candidates'>;
  readonly spread: Pick<Spread, 'sentLately'>;
}): (request: DescribedRequest, now: Now) => Explanation {
  return (request, now) => {
    const { stream, protocol, address, userAgent, https: isHttps } = request;
    const viewer = observeViewer({ address, isHttps, userAgent });
    const candidates = deps.outlook.candidates(stream, now);
    const playlist = protocol === 'hls' ? deps.live.entry(stream) : deps.live.mpd(stream);
    const placement = placeLive({
      ...{ stream, viewer, candidates },
      form: protocol === 'hls' ? 'hls-entry' : 'dash-entry',
      arrival: { kind: 'own' },
      hasPlaylist: playlist !== undefined,
      sentLately: deps.spread.sentLately(now),
    });
    const offers =
      placement.kind === 'serve'
        ? placement.offers
        : placement.kind === 'redirect'
          ? [placement.target]
          : [];
    const offered = new Set(offers.map(({ node }) => node.id));
    const entryName = protocol === 'hls' ? 'index.m3u8' : 'manifest.mpd';
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
