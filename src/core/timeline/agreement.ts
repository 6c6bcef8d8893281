import type { Grid } from './grid.ts';
import type { RunHead, TimelineRun } from './run.ts';

/** The run that a member follows. */
export type Following = {
  readonly run: RunHead;
  /** Turns its packager's times into the group's. */
  readonly offset: number;
  /** Viewers get segments of it from this member now. */
  readonly isOffered: boolean;
};

/** What a member tells of its timeline, beside its marks. */
export type TimelineFacts = {
  readonly nodeId: string;
  /** Absent while its times are not placed in any run: at its start, and after they jumped. */
  readonly following?: Following | undefined;
  /** Of the last segment it ever offered, kept over restarts. */
  readonly last?: { readonly sequence: number; readonly number: number } | undefined;
};

/** A reachable member of the same group, by what is known of its source. */
export type PeerTimeline = TimelineFacts & {
  /** Its PTS minus ours for the same picture; absent while that is not proved. */
  readonly difference?: number | undefined;
};

export type Agreement =
  /** Follow what is followed. */
  | { readonly kind: 'keep' }
  /** Follow this run; segments up to our last number are not offered again. */
  | { readonly kind: 'adopt'; readonly run: RunHead; readonly offset: number }
  /** Found a run, after `previous` where there was one. */
  | {
      readonly kind: 'found';
      readonly previous?: { readonly sequence: number; readonly lastNumber: number } | undefined;
    };

/** A member that starts waits so long for others to be heard, read and compared, ms ... */
const settleMsMin = 12_000;
/** ... and until it has read so many keyframes, of which three prove a source ... */
const settleMarksMin = 5;
/** ... but no longer than this, ms. */
const settleMsMax = 60_000;

/**
 * Whether others that are not compared yet are waited for no longer. `marks`: keyframes read since the packager began, or
 * since the start; undefined where there are no pictures.
 */
export function hasWaited(waitedMs: number, marks: number | undefined): boolean {
  const isRead = marks === undefined || marks >= settleMarksMin || waitedMs >= settleMsMax;
  return waitedMs >= settleMsMin && isRead;
}

/**
 * Which run a member should follow, from what it knows of itself and of the members it can reach. All that know the
 * same decide the same; nobody is asked, nobody leads (`docs/timeline.md`). What viewers are offered is
 * given up only for a run with a higher sequence, and no member follows a lower one than it ever offered.
 */
export function agreeOnRun(self: TimelineFacts, peers: readonly PeerTimeline[]): Agreement {
  const members = [self, ...peers.filter((peer) => peer.difference !== undefined)];
  const claims = members.flatMap((member) => claimOf(member) ?? []);
  const floor = Math.max(-1, ...members.map((member) => member.last?.sequence ?? -1));
  const viable = claims.filter((claim) => claim.run.sequence >= floor);
  const chosen = chooseAmong(viable);
  if (chosen === undefined) {
    // Where runs clash, or lie below what somebody has offered, one member founds the next for all.
    const settler = members.map((member) => member.nodeId).sort()[0];
    if (claims.length > 0 && settler !== self.nodeId) return { kind: 'keep' };
    return { kind: 'found', previous: lastOf([self, ...peers], claims) };
  }
  const own = self.following?.run;
  const isOwn = own === chosen.run || (own && keyOf(own) === keyOf(chosen.run));
  if (isOwn) return { kind: 'keep' };
  return { kind: 'adopt', run: chosen.run, offset: chosen.offset };
}

/** The run to follow; undefined when there is none, or two are offered with one sequence. */
function chooseAmong(claims: readonly Claim[]): Claim | undefined {
  const offered = claims.filter((claim) => isOfferedByAny(claim, claims));
  const top = Math.max(-1, ...offered.map((claim) => claim.run.sequence));
  const successors = claims.filter((c) => c.run.succeeds !== undefined && c.run.sequence > top);
  if (successors.length > 0) return best(successors);
  const highest = offered.filter((claim) => claim.run.sequence === top);
  const keys = new Set(highest.map((claim) => keyOf(claim.run)));
  if (keys.size > 1) return undefined;
  return highest[0] ?? best(claims);
}

/**
 * Whether a member may offer the run it follows. While nobody offers it, all that can be reached must follow
 * it too; those that are not compared yet are waited for: `isLate` once that was long enough ({@link hasWaited}).
 */
export function mayOffer(
  self: TimelineFacts,
  peers: readonly PeerTimeline[],
  isLate: boolean,
): boolean {
  const own = self.following;
  if (own === undefined) return false;
  const key = keyOf(own.run);
  const follows = (peer: PeerTimeline) =>
    peer.following !== undefined && keyOf(peer.following.run) === key;
  if (own.isOffered || peers.some((peer) => follows(peer) && peer.following?.isOffered)) {
    return true;
  }
  const proved = peers.filter((peer) => peer.difference !== undefined);
  const isAgreed = proved.every(follows);
  return isAgreed && (proved.length === peers.length || isLate);
}

/** The run with its grids as the member that tells of it has them now. */
export function withGrids(
  run: TimelineRun,
  grids: { readonly picture?: Grid | undefined; readonly sound: readonly Grid[] },
): TimelineRun {
  return { ...run, pictureGrid: grids.picture, soundGrids: grids.sound };
}

/** What tells runs apart. */
export function keyOf(run: RunHead): string {
  return `${run.sequence}/${run.foundedAt}/${run.foundedBy}`;
}

type Claim = Following & { readonly nodeId: string };

/** A member's run, with the offset that makes it ours. */
function claimOf(member: PeerTimeline): Claim | undefined {
  const { following, nodeId, difference = 0 } = member;
  if (following === undefined) return undefined;
  const { run, offset, isOffered } = following;
  return { run, offset: offset + difference, isOffered, nodeId };
}

function isOfferedByAny(claim: Claim, claims: readonly Claim[]): boolean {
  if (claim.isOffered) return true;
  return claims.some((other) => other.isOffered && keyOf(other.run) === keyOf(claim.run));
}

/** Of runs that nobody offers: one that goes on from another, the highest sequence, the oldest, the first name. */
function best(claims: readonly Claim[]): Claim | undefined {
  const rank = ({ run }: Claim) => (run.succeeds === undefined ? 0 : 1);
  return [...claims].sort(
    (a, b) =>
      rank(b) - rank(a) ||
      (rank(a) === 1 ? b.run.sequence - a.run.sequence : 0) ||
      a.run.foundedAt - b.run.foundedAt ||
      (a.run.foundedBy < b.run.foundedBy ? -1 : a.run.foundedBy > b.run.foundedBy ? 1 : 0),
  )[0];
}

/** The highest sequence and number that any member ever offered or follows. */
function lastOf(members: readonly TimelineFacts[], claims: readonly Claim[]) {
  const lasts = members.flatMap((member) => member.last ?? []);
  if (lasts.length === 0 && claims.length === 0) return undefined;
  const sequences = [...lasts, ...claims.map((claim) => claim.run)].map((each) => each.sequence);
  const lastNumber = Math.max(0, ...lasts.map((last) => last.number));
  return { sequence: Math.max(...sequences), lastNumber };
}
