import { hash32 } from '../hash.ts';
import type { ReasonCode } from '../reasons.ts';
import type { AirState } from '../stream/stream.ts';
import type { Viewer } from '../viewer/viewer.ts';
import { judgeFor, type Offer, offer, offerBackups, type Verdict } from './backups.ts';
import type { Candidate, Candidates } from './candidates.ts';

/** Most nodes that may send one viewer on. */
const hopsMax = 2;

/** How the viewer came: here first, or with a pass that another node issued. */
type Arrival =
  | { readonly kind: 'own' }
  | {
      readonly kind: 'backup';
      /** Node that issued the pass. */
      readonly home: string;
      /** Nodes that sent the viewer on, first to last, as the pass says. */
      readonly hops: readonly string[];
      /** Why the viewer of another node is not let in; absent when it is, or is in already. */
      readonly refusal?: ReasonCode | undefined;
    };

type ServeReason = 'own-viewer' | 'backup-viewer' | 'least-bad-backups' | 'last-resort';
type RedirectReason = 'redirected' | 'redirected-unheard';

/** What a request for a live stream is answered with. `verdicts` says for each node why, this one first. */
export type Placement =
  | {
      readonly kind: 'serve';
      readonly reason: ServeReason;
      /** Nodes that may be named as backups; two of them are picked. Only for an HLS entry. */
      readonly offers: readonly Offer[];
      readonly verdicts: readonly Verdict[];
    }
  | {
      readonly kind: 'redirect';
      readonly reason: RedirectReason;
      readonly target: Offer;
      /** For the pass: those that have sent the viewer on, this node last. */
      readonly hops: readonly string[];
      readonly verdicts: readonly Verdict[];
    }
  | {
      readonly kind: 'not-found';
      readonly reason: ReasonCode;
      readonly verdicts: readonly Verdict[];
    };

export type LiveRequest = {
  /** Name as asked for here. */
  readonly stream: string;
  readonly form: 'hls-entry' | 'dash-entry' | 'media-playlist';
  readonly viewer: Viewer;
  readonly arrival: Arrival;
  readonly candidates: Candidates;
  /** Whether there is a playlist of the asked form that can be served, be the stream on air or not. */
  readonly hasPlaylist: boolean;
  /** Whether this viewer is to be moved off this node, if another one can serve it. */
  readonly leaves?: boolean | undefined;
  /** Viewers sent to each node that its own count does not show yet. */
  readonly sentLately: ReadonlyMap<string, number>;
};

/**
 * Where a live request is answered (`docs/selection.md`).
 *
 * - On air here: served. Own viewers always, those of other nodes unless they are refused; one that is to be moved
 *   off this node only while no other can serve it.
 * - Else an entry is redirected to the least loaded node that can serve it and fits the viewer; never to one that
 *   sent the viewer here, never more than twice. A media playlist is not found, so that the player moves on.
 * - When no other node could serve the stream to anybody, what is here is served as the last resort.
 *   Failing that, an entry goes to a node that may well be there although nobody is heard.
 */
export function placeLive(request: LiveRequest): Placement {
  const { form, arrival } = request;
  const refusal = arrival.kind === 'backup' ? arrival.refusal : undefined;
  const air = airHere(request);
  const isToLeave = request.leaves === true && canLeave(request);
  const own = air.onAir ? (refusal ?? (isToLeave ? 'draining' : undefined)) : air.reason;
  const served = () => serve(request, arrival.kind === 'own' ? 'own-viewer' : 'backup-viewer', []);
  if (own === undefined) {
    return served();
  }
  if (form === 'media-playlist') {
    return placeReload(request, own, refusal);
  }
  const placed = placeEntry(request, own, refusal);
  return own === 'draining' && placed.kind !== 'redirect' ? served() : placed;
}

/** Whether another node could take a viewer of this stream. */
function canLeave({ form, candidates }: LiveRequest): boolean {
  return candidates.list.some(({ target }) => target[protocolOf(form)].eligible);
}

function airHere({ form, candidates }: LiveRequest): AirState {
  const reason = candidates.own === undefined ? 'not-carried' : 'no-such-protocol';
  return candidates.own?.[protocolOf(form)]?.air ?? { onAir: false, reason };
}

function protocolOf(form: LiveRequest['form']): 'hls' | 'dash' {
  return form === 'dash-entry' ? 'dash' : 'hls';
}

/** Whether there is something to serve and no other node could serve the stream to anybody. */
function isLastResort(request: LiveRequest): boolean {
  return request.hasPlaylist && !canLeave(request);
}

/** A player that watches already: it moves on by itself when it is not found. */
function placeReload(
  request: LiveRequest,
  own: ReasonCode,
  refusal: ReasonCode | undefined,
): Placement {
  const verdicts = [ownVerdict(request, own)];
  return refusal === undefined && isLastResort(request)
    ? serve(request, 'last-resort', verdicts)
    : { kind: 'not-found', reason: refusal ?? own, verdicts };
}

/** A player that opens: it is sent to where it can watch. */
function placeEntry(
  request: LiveRequest,
  own: ReasonCode,
  refusal: ReasonCode | undefined,
): Placement {
  const { arrival, candidates, form } = request;
  const { targets, verdicts } = findTargets(request, protocolOf(form));
  const all = [ownVerdict(request, own), ...verdicts];
  const hops = arrival.kind === 'backup' ? arrival.hops : [];
  const maySend = hops.length < hopsMax;
  const sendTo = (target: Offer, reason: RedirectReason): Placement => ({
    kind: 'redirect',
    reason,
    target,
    hops: [...hops, candidates.self.id],
    verdicts: all,
  });
  if (targets.eligible !== undefined && maySend) {
    return sendTo(targets.eligible, 'redirected');
  }
  if (refusal === undefined && isLastResort(request)) {
    return serve(request, 'last-resort', [ownVerdict(request, own)]);
  }
  if (targets.unknown !== undefined && maySend) {
    return sendTo(targets.unknown, 'redirected-unheard');
  }
  return {
    kind: 'not-found',
    reason: notFoundReason(request, own, targets, maySend),
    verdicts: all,
  };
}

function ownVerdict({ candidates, stream }: LiveRequest, own: ReasonCode): Verdict {
  return { node: candidates.self.id, stream, reasons: [own] };
}

function serve(
  { form, arrival, candidates, viewer }: LiveRequest,
  reason: ServeReason,
  ownVerdicts: readonly Verdict[],
): Placement {
  if (form !== 'hls-entry') {
    return { kind: 'serve', reason, offers: [], verdicts: ownVerdicts };
  }
  const visited = visitedBy(arrival);
  const { offers, areLeastBad, verdicts } = offerBackups({ candidates, viewer, visited });
  const said = areLeastBad && reason !== 'last-resort' ? 'least-bad-backups' : reason;
  return { kind: 'serve', reason: said, offers, verdicts: [...ownVerdicts, ...verdicts] };
}

function visitedBy(arrival: Arrival): readonly string[] {
  return arrival.kind === 'own' ? [] : [arrival.home, ...arrival.hops];
}

/** The best node to be sent to: a fit one, and one that is fit as far as can be told while nobody is heard. */
type Targets = {
  readonly eligible?: Offer | undefined;
  readonly unknown?: Offer | undefined;
  /** Whether a node would be fit if it took viewers of others now. */
  readonly isFull: boolean;
};

function findTargets(
  { candidates, viewer, arrival, sentLately }: LiveRequest,
  protocol: 'hls' | 'dash',
): { readonly targets: Targets; readonly verdicts: readonly Verdict[] } {
  const visited = visitedBy(arrival);
  const eligible: Found[] = [];
  const unknown: Found[] = [];
  let isFull = false;
  const verdicts = candidates.list.map((candidate): Verdict => {
    const assessment = candidate.target[protocol];
    const judged = judgeFor({ candidate, candidates, viewer, visited, purpose: 'redirect' });
    const reasons = [...(assessment.eligible ? [] : assessment.reasons), ...judged.reasons];
    if (judged.fit.kind === 'fit') {
      const found = {
        offer: offer(candidate, judged.fit.place),
        load: loadOf(candidate, protocol, sentLately),
        rank: hash32(`${viewer.key} ${candidate.node.id}`),
      };
      if (reasons.length === 0) {
        eligible.push(found);
      } else if (reasons.every((reason) => reason === 'reachability-unknown')) {
        unknown.push(found);
      } else if (reasons.every((reason) => reason === 'overloaded' || reason === 'backup-limit')) {
        isFull = true;
      }
    }
    return { node: candidate.node.id, stream: candidate.stream.name, reasons };
  });
  return { targets: { eligible: best(eligible), unknown: best(unknown), isFull }, verdicts };
}

/** `rank` decides between equals, for each viewer in another way. */
type Found = { readonly offer: Offer; readonly load: number; readonly rank: number };

function best(found: readonly Found[]): Offer | undefined {
  return found.toSorted((a, b) => a.load - b.load || a.rank - b.rank)[0]?.offer;
}

/** Viewers there for the weight that counts now, those on their way included. */
function loadOf(
  { node, shares }: Candidate,
  protocol: 'hls' | 'dash',
  sentLately: ReadonlyMap<string, number>,
): number {
  const viewers = node.ownSessions + node.backupSessions + (sentLately.get(node.id) ?? 0);
  return viewers / Math.max(node.weight * (shares?.[protocol] ?? 1), 1e-6);
}

function notFoundReason(
  { arrival, candidates }: LiveRequest,
  own: ReasonCode,
  targets: Targets,
  maySend: boolean,
): ReasonCode {
  if (!maySend && (targets.eligible ?? targets.unknown) !== undefined) {
    return 'hops-exhausted';
  }
  if (arrival.kind === 'backup' && arrival.refusal !== undefined) {
    return arrival.refusal;
  }
  if (targets.isFull) {
    return 'all-full';
  }
  if (own === 'not-carried' && candidates.list.length === 0) {
    return 'unknown-stream';
  }
  return own === 'no-such-protocol' ? own : 'nobody-has-it';
}
