import { type Alert, subjectKey } from '../core/alert/alert.ts';
import { type Carried, switchFaults } from '../core/alert/carried.ts';
import { groupFaults, keyFaults } from '../core/alert/degraded.ts';
import {
  type SeenFault,
  type Transition,
  type Watch,
  watchFaults,
  watchTold,
} from '../core/alert/holds.ts';
import { overloadFaults } from '../core/alert/overload.ts';
import type { Peer } from '../core/group/node.ts';
import type { MonoMs, Now } from '../core/time.ts';
import type { Refusals } from './admission.ts';
import type { AlertStore } from './alert-ports.ts';
import type { GroupReports } from './group-reports.ts';
import type { Log } from './ports.ts';
import type { Watching } from './sessions.ts';
import type { ViewingKeys } from './viewing-keys.ts';

/** After the start streams have no live window and peers were not heard yet: nothing is told so early, ms. */
const graceMs = 30_000;

/** Most transitions that wait for a store that fails; the oldest go. */
const unkeptMax = 2_000;

/** Groups looked at in one second, where there are not so many that it takes more to be round in ten. */
const groupsPerTurn = 20;
const turnsMax = 10;

type Deps = {
  readonly nodeId: string;
  readonly log: Log;
  readonly store: AlertStore;
  /** Keys of those who are told of alerts. */
  readonly targets: readonly string[];
  readonly groups: GroupReports;
  readonly peers: (now: Now) => readonly Peer[];
  readonly keys: Pick<ViewingKeys, 'view'>;
  readonly watching: () => readonly Watching[];
  /** Group of a stream of this node. */
  readonly groupOf: (stream: string) => string | undefined;
  readonly refusals: () => Refusals;
};

/** The alerts that this node raises, each for what it sees itself (`docs/alerts.md`). */
export class Alerts {
  readonly #deps: Deps;
  #watch: Watch | undefined;
  #startedAt: MonoMs = 0;
  #turn = 0;
  /** By group, as it was looked at last. */
  readonly #degraded = new Map<string, readonly SeenFault[]>();
  /** Transitions that could not be kept yet. */
  #unkept: readonly Transition[] = [];

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Looks for faults; due each second. @throws store_failed: what is to be told is kept the next time */
  tick(now: Now): void {
    const watch = this.#watch ?? this.#begin(now);
    const mayRaise = now.monoMs - this.#startedAt >= graceMs;
    const next = watchFaults(watch, this.#seen(now), { now, mayRaise });
    this.#watch = next.watch;
    for (const { kind, alert } of next.transitions) this.#logTransition(kind, alert);
    this.#unkept = [...this.#unkept, ...next.transitions].slice(-unkeptMax);
    if (this.#unkept.length === 0) return;
    this.#deps.store.record(this.#unkept, this.#deps.targets);
    this.#unkept = [];
  }

  /** Newest first; those that stand as they are now. */
  list(): readonly Alert[] {
    return this.#deps.store.list().map((alert) => {
      const watched = this.#watch?.get(subjectKey(alert));
      const isLive = alert.clearedAt === undefined && watched?.raisedAt !== undefined;
      return isLive ? { ...alert, cause: watched.fault.cause, text: watched.fault.text } : alert;
    });
  }

  /** Those that stand. */
  standing(): readonly Alert[] {
    return [...(this.#watch?.values() ?? [])].flatMap(({ fault, raisedAt }) =>
      raisedAt === undefined ? [] : [{ ...fault, raisedAt }],
    );
  }

  #begin(now: Now): Watch {
    this.#startedAt = now.monoMs;
    const stood = this.#deps.store.list().filter(({ clearedAt }) => clearedAt === undefined);
    this.#watch = watchTold(stood, now);
    return this.#watch;
  }

  #seen(now: Now): readonly SeenFault[] {
    const { nodeId, peers, refusals } = this.#deps;
    this.#lookAtGroups(now);
    return [
      ...switchFaults(this.#carried(), this.standing(), peers(now)),
      ...(this.#degraded.size === 0 ? [] : this.#keyFaults()),
      ...[...this.#degraded.values()].flat(),
      ...overloadFaults(nodeId, refusals().last),
    ];
  }

  /** Some of them in turn: a look at hundreds at once would hold up viewers. */
  #lookAtGroups(now: Now): void {
    const { nodeId, groups } = this.#deps;
    const gone = new Set(this.#degraded.keys());
    const reports = groups(now, (name, at, total) => {
      gone.delete(name);
      const turns = Math.min(Math.ceil(total / groupsPerTurn), turnsMax);
      return at % turns === this.#turn % turns;
    });
    this.#turn += 1;
    for (const name of gone) this.#degraded.delete(name);
    for (const report of reports) this.#degraded.set(report.name, groupFaults(nodeId, report));
  }

  #keyFaults(): readonly SeenFault[] {
    const { state, keys } = this.#deps.keys.view();
    return keyFaults(this.#deps.nodeId, { state, lackedBy: keys[0]?.lackedBy ?? [] });
  }

  #carried(): readonly Carried[] {
    return this.#deps.watching().flatMap(({ kind, stream, home, sessions }) => {
      const group = kind === 'backup' ? this.#deps.groupOf(stream) : undefined;
      return group === undefined ? [] : [{ group, home, sessions }];
    });
  }

  #logTransition(kind: Transition['kind'], { code, group, node, cause, text }: Alert): void {
    const level = kind === 'cleared' ? 'info' : 'warn';
    this.#deps.log[level](`alert ${kind}`, { code, group, about: node, cause, text });
  }
}
