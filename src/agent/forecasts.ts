import { heardFacts, type NodeFacts, type Peer } from '../core/group/node.ts';
import { type Forecast, forecastDeath, isSurvivable, lossText } from '../core/load/forecast.ts';
import type { MonoMs, Now } from '../core/time.ts';

/** What nodes say of themselves changes each second at most. */
const keptMs = 1_000;

/** A node whose death the others could not bear. */
export type Loss = { readonly node: string; readonly text: string };

/** What would become of the viewers of each node that is there, this one included, if it died now. */
export class Forecasts {
  readonly #deps: {
    readonly self: () => NodeFacts;
    readonly peers: (now: Now) => readonly Peer[];
  };
  #madeAt: MonoMs = Number.NEGATIVE_INFINITY;
  #forecasts: readonly Forecast[] = [];
  #losses: readonly Loss[] = [];

  constructor(deps: { self: () => NodeFacts; peers: (now: Now) => readonly Peer[] }) {
    this.#deps = deps;
  }

  /** By node id. */
  all(now: Now): readonly Forecast[] {
    this.#makeIfDue(now);
    return this.#forecasts;
  }

  losses(now: Now): readonly Loss[] {
    this.#makeIfDue(now);
    return this.#losses;
  }

  #makeIfDue(now: Now): void {
    if (now.monoMs - this.#madeAt < keptMs) return;
    this.#madeAt = now.monoMs;
    const others = heardFacts(this.#deps.peers(now));
    const nodes = [this.#deps.self(), ...others].sort((a, b) => (a.id < b.id ? -1 : 1));
    this.#forecasts = nodes.map((node) => forecastDeath(node, nodes));
    this.#losses = this.#forecasts
      .filter((forecast) => !isSurvivable(forecast))
      .map((forecast) => ({ node: forecast.node, text: lossText(forecast) }));
  }
}
