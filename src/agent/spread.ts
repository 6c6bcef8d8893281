import { backupsMax, chooseBackups } from '../core/placement/selection.ts';
import type { MonoMs, Now } from '../core/time.ts';

/** Sets of candidates whose counts are kept; the one unused for longest is forgotten. */
const setsMax = 256;

/** Viewers whose last choice is remembered; the one unseen for longest is forgotten. */
const viewersMax = 50_000;

/** Nodes whose redirects are counted; the peers of one domain are far fewer. */
const nodesMax = 256;

/** More openings than this within {@link sharedWithinMs} are not one viewer's. */
const openingsMax = 4;
const sharedWithinMs = 60_000;

/** A redirected viewer shows in the target's own count after this, at the latest. */
const sentWindowMs = 1_000;

/** What of a candidate matters for the choice. */
type Choosable = {
  readonly node: { readonly id: string; readonly weight: number };
  /** Part of its weight that counts now; 1 unless told. */
  readonly share?: number | undefined;
};

/** Who asks: a session that opens again, or, by address and player, somebody who may be many. */
type Asker = {
  /** `Viewer.key`. */
  readonly viewerKey: string;
  /** Session id from the viewer's pass, where it brings one. */
  readonly session?: string | undefined;
  /** Ids of the nodes that pass is good for: what the session was given before, if nothing is remembered of it. */
  readonly had?: readonly string[] | undefined;
  /** Name of the stream. */
  readonly stream: string;
};

/** Chooses evenly over time, which needs memory: of what was chosen, and of who got what. */
export type Spread = {
  /**
   * Up to two of `offers` (by node id, each once), for an opening `now`. Who opens again keeps what it has as far
   * as it is still offered. But one address and player that opens more than 4 times within a minute is taken for
   * many viewers behind one address, each of which is given the next choice. A session is always one viewer.
   */
  pick<O extends Choosable>(offers: readonly O[], asker: Asker, now: Now): readonly O[];
  /** Notes that a viewer was sent to a node. */
  noteSent(nodeId: string, now: Now): void;
  /** Viewers sent to each node that its own count may not show yet. */
  sentLately(now: Now): ReadonlyMap<string, number>;
};

type Counts = { readonly first: number[]; readonly pairs: number[][] };
type Known = { readonly choice: readonly string[]; readonly openedAt: readonly MonoMs[] };
type Sent = { readonly windowAt: number; readonly count: number; readonly before: number };

/** @param selfId where among the other nodes the choice begins: behind this node, as if all stood in a ring */
export function createSpread(selfId: string): Spread {
  const sets = new Map<string, Counts>();
  const viewers = new Map<string, Known>();
  const sent = new Map<string, Sent>();

  function choose(offers: readonly Choosable[], keep: readonly number[]): readonly number[] {
    const weights = offers.map(({ node, share = 1 }) => node.weight * share);
    const key = offers.map(({ node }, place) => `${node.id}:${weights[place]}`).join();
    const counts = sets.get(key) ?? {
      first: weights.map(() => 0),
      pairs: weights.map(() => weights.map(() => 0)),
    };
    remember(sets, key, counts, setsMax);
    const start = Math.max(
      0,
      offers.findIndex(({ node }) => node.id > selfId),
    );
    const choice = chooseBackups({ weights, usage: counts, start, keep });
    count(counts, choice);
    return choice;
  }

  return {
    pick(offers, asker, now) {
      const key = `${asker.session ?? asker.viewerKey} ${asker.stream}`;
      const known = viewers.get(key);
      const openedAt = [...(known?.openedAt ?? []), now.monoMs].slice(-openingsMax - 1);
      const isShared = asker.session === undefined && isTooOften(openedAt);
      const keep = isShared ? [] : placesIn(offers, known?.choice ?? asker.had ?? []);
      const isKept = keep.length === Math.min(backupsMax, offers.length);
      const choice = isKept ? keep : choose(offers, keep);
      const picked = choice.flatMap((place) => offers[place] ?? []);
      const ids = picked.map(({ node }) => node.id);
      remember(viewers, key, { choice: ids, openedAt }, viewersMax);
      return picked;
    },
    noteSent(nodeId, now) {
      const windowAt = Math.floor(now.monoMs / sentWindowMs);
      const { count, before } = inWindow(sent.get(nodeId), windowAt);
      remember(sent, nodeId, { windowAt, count: count + 1, before }, nodesMax);
    },
    sentLately(now) {
      const windowAt = Math.floor(now.monoMs / sentWindowMs);
      return new Map(
        [...sent].map(([id, counted]) => {
          const { count, before } = inWindow(counted, windowAt);
          return [id, count + before];
        }),
      );
    },
  };
}

function isTooOften(openedAt: readonly MonoMs[]): boolean {
  const [earliest = 0] = openedAt;
  return (
    openedAt.length > openingsMax && (openedAt.at(-1) ?? earliest) - earliest <= sharedWithinMs
  );
}

function placesIn(offers: readonly Choosable[], ids: readonly string[]): readonly number[] {
  return ids
    .map((id) => offers.findIndex(({ node }) => node.id === id))
    .filter((place) => place >= 0);
}

function count({ first, pairs }: Counts, [one, two]: readonly number[]): void {
  if (one === undefined) {
    return;
  }
  first[one] = (first[one] ?? 0) + 1;
  const seconds = pairs[one];
  if (two !== undefined && seconds !== undefined) {
    seconds[two] = (seconds[two] ?? 0) + 1;
  }
}

function inWindow(sent: Sent | undefined, windowAt: number): Omit<Sent, 'windowAt'> {
  if (sent?.windowAt === windowAt) {
    return sent;
  }
  return { count: 0, before: sent?.windowAt === windowAt - 1 ? sent.count : 0 };
}

/** A map in order of use: what is set last is forgotten last. */
function remember<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > max) {
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
  }
}
