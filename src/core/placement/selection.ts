/** Most backups named to one viewer (players measured try at most two more places). */
export const backupsMax = 2;

/** How often each backup, and each ordered pair, was chosen from one set of candidates. */
export type Usage = {
  /** By place in the set. */
  readonly first: readonly number[];
  /** `pairs[i][j]`: `i` first, `j` second. */
  readonly pairs: readonly (readonly number[])[];
};

/**
 * Chooses up to two of a set of candidates, as places in the set, first choice first.
 *
 * Both choices go to whoever is furthest behind its share: first to each by its weight, then, among those who
 * have the same first, to each other by weight. So shares hold to within about one viewer at any moment, and also what
 * the survivors get after the answering node and a first choice died is spread by weight. Ties are broken going
 * round from `start`, so that nodes which have counted nothing yet do not all begin with the same backup.
 *
 * @param parts.keep places to be chosen again, at most two, in this order; the rest is filled up
 */
export function chooseBackups(parts: {
  readonly weights: readonly number[];
  readonly usage: Usage;
  readonly start: number;
  readonly keep?: readonly number[];
}): readonly number[] {
  const { weights, usage, start, keep = [] } = parts;
  const [first = mostBehind({ weights, counts: usage.first, start }), second] = keep;
  if (first === undefined) {
    return [];
  }
  const next =
    second ??
    mostBehind({
      weights,
      counts: usage.pairs[first] ?? [],
      start: (first + 1) % weights.length,
      except: first,
    });
  return next === undefined ? [first] : [first, next];
}

/** A weight of nothing, or worse, still has a share, however small: somebody must be named. */
const weightMin = 1e-6;

function mostBehind(parts: {
  readonly weights: readonly number[];
  readonly counts: readonly number[];
  readonly start: number;
  readonly except?: number;
}): number | undefined {
  const { weights, counts, start, except } = parts;
  let weightSum = 0;
  let countSum = 1;
  for (const [place, weight] of weights.entries()) {
    if (place !== except) {
      weightSum += Math.max(weight, weightMin);
      countSum += counts[place] ?? 0;
    }
  }
  let best: number | undefined;
  let furthest = -Infinity;
  for (let turn = 0; turn < weights.length; turn += 1) {
    const place = (start + turn) % weights.length;
    const share = Math.max(weights[place] ?? 0, weightMin) / weightSum;
    const behind = share * countSum - (counts[place] ?? 0);
    if (place !== except && behind > furthest) {
      best = place;
      furthest = behind;
    }
  }
  return best;
}
