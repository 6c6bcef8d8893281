import type { Refusal } from '../core/alert/overload.ts';
import type { NodeLoad, Peer } from '../core/group/node.ts';
import { firstAskedOf } from '../core/load/assigned.ts';
import {
  type LoadLimits,
  type LoadState,
  networkCapacity,
  observeLoad,
} from '../core/load/load.ts';
import {
  type AdmissionFacts,
  type AdmissionState,
  costOfViewer,
  idleAdmission,
  judgeAdmission,
  refusalOf,
  times,
  withViewer,
} from '../core/placement/admission.ts';
import { type Cost, noCost } from '../core/placement/lately.ts';
import type { ReasonCode } from '../core/reasons.ts';
import type { MonoMs, Now } from '../core/time.ts';
import type { Audience } from './audience.ts';
import type { ReadLoad } from './ports.ts';
import type { Sessions } from './sessions.ts';

/** Viewers of a node that fell silent are awaited this long: the slowest player measured has moved by then. */
const awaitedMs = 30_000;

/** Viewers of one silent node who are still to come. */
type Awaited = { left: number; readonly since: MonoMs };

/** How often viewers of other nodes were refused since the start, and the last time. */
export type Refusals = { readonly total: number; readonly last?: Refusal | undefined };

/** Whether this node takes viewers of other nodes: its load, its limits, and who is on the way. */
export class Admission {
  readonly #deps: AdmissionDeps;
  #measured: LoadState | undefined;
  #state: AdmissionState = idleAdmission;
  #shown: NodeLoad;
  readonly #awaited = new Map<string, Awaited>();
  #silent: ReadonlySet<string> = new Set();
  #refusals: Refusals = { total: 0 };

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
    this.#shown = this.#show();
  }

  /** Reads the load and judges anew; due each second. */
  tick(now: Now): void {
    const { readLoad, limits, peers } = this.#deps;
    if (readLoad !== undefined)
      this.#measured = observeLoad(this.#measured, readLoad(), now.monoMs, limits.networkBitsPerS);
    const shown = this.#show();
    if (JSON.stringify(shown) !== JSON.stringify(this.#shown)) this.#shown = shown;
    this.#await(peers(now), now.monoMs);
    this.#judge(undefined, now.monoMs);
  }

  /** Why a viewer of `home` is not let in; absent when it is. The one who asks is counted in. */
  refusal(home: string, bitsPerS: number | undefined, now: Now): ReasonCode | undefined {
    const facts = this.#judge(this.#cost(bitsPerS), now.monoMs);
    const reason = refusalOf(this.#state, facts, (this.#awaited.get(home)?.left ?? 0) > 0);
    if (reason !== undefined)
      this.#refusals = { total: this.#refusals.total + 1, last: { at: now.monoMs, reason } };
    return reason;
  }

  /** What {@link refusal} would say, without anything being noted. */
  wouldRefuse(home: string, bitsPerS: number | undefined, now: Now): ReasonCode | undefined {
    const facts = this.#facts(this.#cost(bitsPerS), now.monoMs);
    const state = judgeAdmission(this.#state, facts);
    return refusalOf(state, facts, (this.#awaited.get(home)?.left ?? 0) > 0);
  }

  /** Notes a viewer who starts here: one of this node counts like any other. */
  noteStart(home: string, bitsPerS: number | undefined, now: Now): void {
    this.#state = withViewer(this.#state, this.#cost(bitsPerS), now.monoMs);
    const awaited = this.#awaited.get(home);
    if (awaited !== undefined) awaited.left = Math.max(0, awaited.left - 1);
  }

  /** What the other nodes are told, so that they name this one no more. */
  announced(): { readonly overloaded: boolean; readonly atBackupLimit: boolean } {
    const { full, spokenFor } = this.#state;
    return { overloaded: full.is || spokenFor.is, atBackupLimit: this.#isAtBackupLimit() };
  }

  /** The same object as long as it says the same. */
  load(): NodeLoad {
    return this.#shown;
  }

  refusals(): Refusals {
    return this.#refusals;
  }

  #judge(atTheDoor: Cost | undefined, now: MonoMs): AdmissionFacts {
    const facts = this.#facts(atTheDoor, now);
    const before = this.announced();
    this.#state = judgeAdmission(this.#state, facts);
    const after = this.announced();
    const begins =
      (after.overloaded && !before.overloaded) || (after.atBackupLimit && !before.atBackupLimit);
    if (begins) this.#deps.onRefusing();
    return facts;
  }

  #facts(atTheDoor: Cost | undefined, now: MonoMs): AdmissionFacts {
    const { limits } = this.#deps;
    return {
      ...{ load: this.#measured?.load ?? {}, limits, expected: this.#expected(now), atTheDoor },
      ...{ ...this.#backups(), now },
    };
  }

  #backups() {
    const { sessions, backupSessionsMax } = this.#deps;
    return { backupSessions: sessions.counts().backup, backupSessionsMax };
  }

  /** At once, whenever it was judged last: the count may have risen since. */
  #isAtBackupLimit(): boolean {
    const { backupSessions, backupSessionsMax = Infinity } = this.#backups();
    return this.#state.isAtBackupLimit || backupSessions >= backupSessionsMax;
  }

  #cost(bitsPerS: number | undefined): Cost {
    const { audience, limits } = this.#deps;
    return costOfViewer({
      load: this.#measured?.load ?? {},
      viewers: audience.count(),
      bitsPerS,
      networkBitsPerS: networkCapacity(this.#measured?.counters ?? [], limits.networkBitsPerS),
    });
  }

  #expected(now: MonoMs): Cost {
    let viewers = 0;
    for (const { left, since } of this.#awaited.values())
      if (now - since <= awaitedMs) viewers += left;
    return viewers === 0 ? noCost : times(this.#cost(undefined), viewers);
  }

  /** Who fell silent since the last look sends its viewers: as many as it said would come here first. */
  #await(peers: readonly Peer[], now: MonoMs): void {
    const silent = new Set<string>();
    for (const { facts, reachability } of peers) {
      if (facts === undefined || reachability === 'reachable') continue;
      // In doubt nobody is awaited, but who is awaited already may be still to come.
      if (reachability === 'unknown' && !this.#silent.has(facts.id)) continue;
      silent.add(facts.id);
      if (this.#silent.has(facts.id)) continue;
      const left = firstAskedOf(facts.assigned ?? [], this.#deps.nodeId);
      this.#awaited.set(facts.id, { left, since: now });
    }
    for (const [id, { since }] of this.#awaited)
      if (!silent.has(id) || now - since > awaitedMs) this.#awaited.delete(id);
    this.#silent = silent;
  }

  #show(): NodeLoad {
    const { cpuPercent, networkPercent } = this.#measured?.load ?? {};
    const { limits } = this.#deps;
    const bitsPerS = networkCapacity(this.#measured?.counters ?? [], limits.networkBitsPerS);
    return {
      ...(cpuPercent !== undefined && { cpuPercent: Math.round(cpuPercent) }),
      ...(networkPercent !== undefined && { networkPercent: Math.round(networkPercent) }),
      cpuLimitPercent: limits.cpuPercent,
      networkLimitPercent: limits.networkPercent,
      ...(bitsPerS !== undefined && { networkMbps: bitsPerS / 1_000_000 }),
      ...(cpuPercent !== undefined && {
        viewerCpuPercent: Number(this.#cost(undefined).cpuPercent.toPrecision(3)),
      }),
    };
  }
}

type AdmissionDeps = {
  readonly nodeId: string;
  /** Absent: load is not known, and refuses nobody. */
  readonly readLoad?: ReadLoad | undefined;
  readonly limits: LoadLimits;
  /** Most viewers of other nodes at once; absent: no limit. */
  readonly backupSessionsMax?: number | undefined;
  readonly sessions: Pick<Sessions, 'counts'>;
  readonly audience: Pick<Audience, 'count'>;
  readonly peers: (now: Now) => readonly Peer[];
  /** Called when refusing begins: the other nodes should know at once. */
  readonly onRefusing: () => void;
};
