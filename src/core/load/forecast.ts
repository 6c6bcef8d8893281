import type { NodeFacts } from '../group/node.ts';

/** Limits that keep a node from taking more viewers of other nodes. */
type LimitKind = 'cpu' | 'network' | 'backup-limit';

/** What a node would carry after another one's death. */
type Survivor = {
  readonly node: string;
  /** Viewers of the dead node that it would take. */
  readonly takes: number;
  /** Then; absent where it is not measured. */
  readonly cpuPercent?: number | undefined;
  readonly networkPercent?: number | undefined;
  readonly backupSessions: number;
  readonly cpuLimitPercent?: number | undefined;
  readonly networkLimitPercent?: number | undefined;
  readonly backupSessionsMax?: number | undefined;
  /** The limit because of which it could not take all who ask; absent when it takes all. */
  readonly stoppedBy?: LimitKind | undefined;
};

/** What would happen if `node` died now. */
export type Forecast = {
  readonly node: string;
  /** Who watches there now. */
  readonly viewers: number;
  /** Those among them who hold no backup: they have to open the stream again. */
  readonly withoutBackup: number;
  /** Those who hold backups and would be refused by all of them. */
  readonly refused: number;
  readonly survivors: readonly Survivor[];
};

/** With fewer viewers what one costs is better learned from the node whose viewers they are. */
const telling = 100;

/**
 * What each of the other `nodes` would carry if `dead` died now: its viewers ask their first backup, those refused there
 * their second one. A node takes viewers up to its limits.
 */
export function forecastDeath(dead: NodeFacts, nodes: readonly NodeFacts[]): Forecast {
  const assigned = dead.assigned ?? [];
  const holders = assigned.reduce((sum, { sessions }) => sum + sessions, 0);
  const viewers = Math.max(dead.watching ?? 0, holders);
  const rooms = new Map(
    nodes.flatMap((facts) => (facts.id === dead.id ? [] : [[facts.id, new Room(facts, dead)]])),
  );
  const asked = assigned.map(({ first, second, sessions }) => {
    const [one, two] = [first, second].flatMap((id) => rooms.get(id ?? '') ?? []);
    one?.ask(sessions);
    return { one, two, sessions };
  });
  for (const room of rooms.values()) room.take();
  let refused = 0;
  for (const { one, two, sessions } of asked) {
    const left = sessions * (one?.refusedShare ?? 1);
    if (two === undefined) refused += left;
    else two.ask(left);
  }
  for (const room of rooms.values()) refused += room.take();
  return {
    node: dead.id,
    viewers,
    withoutBackup: viewers - holders,
    refused: Math.round(refused),
    survivors: [...rooms.values()]
      .map((room) => room.survivor())
      .sort((a, b) => (a.node < b.node ? -1 : 1)),
  };
}

/** Whether a death would leave viewers without any node: more than one in a hundred of those who hold backups. */
export function isSurvivable({ refused, viewers, withoutBackup }: Forecast): boolean {
  return refused <= (viewers - withoutBackup) / 100;
}

/** One sentence on a death that could not be borne. */
export function lossText({ node, viewers, refused, survivors }: Forecast): string {
  const full = survivors.flatMap(({ node: id, stoppedBy }) =>
    stoppedBy === undefined ? [] : `${id} (${limitTexts[stoppedBy]})`,
  );
  const why = full.length === 0 ? 'nobody is there for them' : `no more room at ${full.join(', ')}`;
  return `if ${node} died now, ${refused} of its ${viewers} viewers would be refused: ${why}`;
}

const limitTexts: Readonly<Record<LimitKind, string>> = {
  cpu: 'processor',
  network: 'network',
  'backup-limit': 'backup sessions',
};

/** How many more viewers one node takes, and what they cost there. */
class Room {
  readonly #facts: NodeFacts;
  readonly #cost: { readonly cpu: number; readonly network: number };
  readonly #most: number;
  readonly #stop: LimitKind;
  #asks = 0;
  #takes = 0;
  /** Share of those who asked in the last round that was not taken. */
  refusedShare = 0;
  #isShort = false;

  constructor(facts: NodeFacts, dead: NodeFacts) {
    this.#facts = facts;
    this.#cost = costThere(facts, dead);
    const { load, backupSessions, backupSessionsMax = Infinity } = facts;
    const limits: readonly (readonly [LimitKind, number])[] = [
      ['cpu', room(load?.cpuPercent, load?.cpuLimitPercent, this.#cost.cpu)],
      ['network', room(load?.networkPercent, load?.networkLimitPercent, this.#cost.network)],
      ['backup-limit', Math.max(0, backupSessionsMax - backupSessions)],
    ];
    [this.#stop, this.#most] = limits.reduce((least, one) => (one[1] < least[1] ? one : least));
  }

  ask(viewers: number): void {
    this.#asks += viewers;
  }

  /** Takes whom it can of those who asked since; returns how many are left over. */
  take(): number {
    const taken = Math.min(this.#asks, this.#most - this.#takes);
    const left = this.#asks - taken;
    this.refusedShare = this.#asks === 0 ? 0 : left / this.#asks;
    this.#isShort ||= left > 0;
    this.#takes += taken;
    this.#asks = 0;
    return left;
  }

  survivor(): Survivor {
    const { id, load, backupSessions, backupSessionsMax } = this.#facts;
    const then = (percent: number | undefined, cost: number) =>
      percent === undefined ? undefined : Math.round((percent + this.#takes * cost) * 10) / 10;
    const takes = Math.round(this.#takes);
    return {
      ...{ node: id, takes },
      cpuPercent: then(load?.cpuPercent, this.#cost.cpu),
      networkPercent: then(load?.networkPercent, this.#cost.network),
      backupSessions: backupSessions + takes,
      cpuLimitPercent: load?.cpuLimitPercent,
      networkLimitPercent: load?.networkLimitPercent,
      backupSessionsMax,
      stoppedBy: this.#isShort ? this.#stop : undefined,
    };
  }
}

/** A limit of 100 percent refuses nobody. */
function room(percent: number | undefined, limit: number | undefined, cost: number): number {
  if (percent === undefined || limit === undefined || limit >= 100 || cost <= 0) return Infinity;
  return Math.max(0, Math.floor((limit - percent) / cost));
}

/**
 * What one viewer of the dead node costs at another one. Processor: as much as one there does, or, where too few watch
 * for that to be known, as at the dead node. Network: the bits they take now, or the mean there.
 */
function costThere(facts: NodeFacts, dead: NodeFacts) {
  const isTold = (facts.watching ?? 0) >= Math.min(telling, dead.watching ?? 0);
  const there = facts.load;
  const here = dead.load;
  const cpu = (isTold ? there : here)?.viewerCpuPercent ?? there?.viewerCpuPercent ?? 0;
  const mbps = perViewer(here?.networkPercent, dead.watching);
  const network =
    mbps !== undefined && here?.networkMbps !== undefined && there?.networkMbps !== undefined
      ? (mbps * here.networkMbps) / there.networkMbps
      : (perViewer(there?.networkPercent, facts.watching) ?? 0);
  return { cpu, network };
}

function perViewer(percent: number | undefined, viewers = 0): number | undefined {
  return percent === undefined || viewers === 0 ? undefined : percent / viewers;
}
