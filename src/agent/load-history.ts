import { heardFacts, type NodeFacts, type Peer } from '../core/group/node.ts';
import type { MonoMs, Now, UnixMs } from '../core/time.ts';

/** One sample this often, for an hour. */
const everyMs = 10_000;
const samplesMax = 360;
/** Nodes that are remembered; domains have far fewer. */
const nodesMax = 256;

/** Columns of equal length, oldest first. A node that was not heard has `null` there. */
export type NodeHistory = {
  readonly node: string;
  readonly cpuPercent: readonly (number | null)[];
  readonly networkPercent: readonly (number | null)[];
  readonly ownSessions: readonly (number | null)[];
  readonly backupSessions: readonly (number | null)[];
};

type Sample = Readonly<Record<Exclude<keyof NodeHistory, 'node'>, number | null>>;
type Row = { readonly at: UnixMs; readonly samples: ReadonlyMap<string, Sample> };

const nothing: Sample = {
  cpuPercent: null,
  networkPercent: null,
  ownSessions: null,
  backupSessions: null,
};

/** Load and viewers of this node and its peers over the last hour, in memory only. */
export class LoadHistory {
  readonly #deps: {
    readonly self: () => NodeFacts;
    readonly peers: (now: Now) => readonly Peer[];
  };
  #rows: readonly Row[] = [];
  #takenAt: MonoMs = Number.NEGATIVE_INFINITY;

  constructor(deps: { self: () => NodeFacts; peers: (now: Now) => readonly Peer[] }) {
    this.#deps = deps;
  }

  /** Takes a sample when one is due; due each second. */
  tick(now: Now): void {
    if (now.monoMs - this.#takenAt < everyMs) return;
    this.#takenAt = now.monoMs;
    const heard = heardFacts(this.#deps.peers(now));
    const nodes = [...heard.slice(0, nodesMax - 1), this.#deps.self()];
    const samples = new Map(nodes.map((facts) => [facts.id, sampleOf(facts)]));
    this.#rows = [...this.#rows, { at: now.wallMs, samples }].slice(-samplesMax);
  }

  /** When samples were taken, and what they were for each node, by node. */
  view(): { readonly at: readonly UnixMs[]; readonly nodes: readonly NodeHistory[] } {
    const ids = new Set(this.#rows.flatMap(({ samples }) => [...samples.keys()]));
    return {
      at: this.#rows.map(({ at }) => at),
      nodes: [...ids].sort().map((node) => ({
        node,
        cpuPercent: this.#column(node, 'cpuPercent'),
        networkPercent: this.#column(node, 'networkPercent'),
        ownSessions: this.#column(node, 'ownSessions'),
        backupSessions: this.#column(node, 'backupSessions'),
      })),
    };
  }

  #column(node: string, field: keyof Sample): readonly (number | null)[] {
    return this.#rows.map(({ samples }) => (samples.get(node) ?? nothing)[field]);
  }
}

function sampleOf({ load, ownSessions, backupSessions }: NodeFacts): Sample {
  return {
    cpuPercent: load?.cpuPercent ?? null,
    networkPercent: load?.networkPercent ?? null,
    ownSessions,
    backupSessions,
  };
}
