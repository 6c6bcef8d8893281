import type { DrillFailure } from '../../core/drill/failure.ts';
import { type Found, soughtMax } from '../../core/group/sought.ts';
import { hash32 } from '../../core/hash.ts';
import type { MonoMs, Now } from '../../core/time.ts';
import type { PlayerFamily } from '../../core/viewer/viewer.ts';
import { type Answer, notFromHere } from '../answer.ts';
import type { MediaSnapshot } from '../live-snapshots.ts';
import type { Clock, Timers } from '../ports.ts';

/** Requests that are held without an answer at once; further ones are cut. */
const heldMax = 500;
/** Media playlists that stand still; further ones go on. */
const frozenMax = 64;
/** Viewers that are counted one by one; further ones meet the failure uncounted. */
const viewersMax = 10_000;

/** A failure that some sessions of one stream meet for a while. */
export type Stage = {
  /** Of the drill: decides, with the session, who is among the `viewersPercent`. */
  readonly id: string;
  readonly stream: string;
  readonly failure: DrillFailure;
  readonly slowMs: number;
  /** When it is over, whatever else happens. */
  readonly until: MonoMs;
  /** Sessions of the drill's own players that meet it, and all of them: these are no viewers. */
  readonly chosen: ReadonlySet<string>;
  readonly probes: ReadonlySet<string>;
  readonly viewersPercent: number;
  /** Also viewers that no backup could take now. */
  readonly force: boolean;
};

/** Who asks, as its pass says. */
type Asker = {
  readonly session?: string | undefined;
  readonly family: PlayerFamily;
  /** Whether a backup that its pass is good for can serve it now. */
  readonly canMove: () => boolean;
};

/** A viewer that met the failure. */
export type MetViewer = {
  readonly family: PlayerFamily;
  readonly firstAt: MonoMs;
  lastAt: MonoMs;
  /** When another node first served it, and which; absent until it is found there. */
  servedAt?: MonoMs;
  at?: string;
};

/**
 * The failure that is on now, if any: in memory only, and over when its time is, whoever is still there to end it. Sessions
 * are known by their passes, which nobody else can make.
 */
export class Staging {
  readonly #deps: { readonly clock: Clock; readonly timers: Timers };
  readonly #held = new Set<() => void>();
  readonly #frozen = new Map<string, MediaSnapshot>();
  readonly #viewers = new Map<string, MetViewer>();
  #stage: Stage | undefined;
  #soughtFrom = 0;

  constructor(deps: { clock: Clock; timers: Timers }) {
    this.#deps = deps;
  }

  begin(stage: Stage): void {
    this.end();
    this.#viewers.clear();
    this.#stage = stage;
  }

  /** Ends what is on; who is held is cut off. */
  end(): void {
    this.#stage = undefined;
    this.#frozen.clear();
    for (const release of this.#held) release();
  }

  /** Whether anybody may meet a failure at all. */
  isOn(now: Now): boolean {
    return this.#stage !== undefined && now.monoMs < this.#stage.until;
  }

  /** Whether anybody who watches `stream` may. */
  isOnFor(stream: string, now: Now): boolean {
    return this.isOn(now) && this.#stage?.stream === stream;
  }

  now(): Now {
    return this.#deps.clock.now();
  }

  /** Viewers, by session, that have met the failure that is on, or was last. */
  met(): ReadonlyMap<string, MetViewer> {
    return this.#viewers;
  }

  /** Viewers that have met the failure that is on and were not found elsewhere yet; others at each call. */
  sought(): readonly string[] {
    if (this.#stage === undefined) return [];
    const open = [...this.#viewers].flatMap(([session, { at }]) =>
      at === undefined ? session : [],
    );
    if (this.#soughtFrom >= open.length) this.#soughtFrom = 0;
    const sought = open.slice(this.#soughtFrom, this.#soughtFrom + soughtMax);
    this.#soughtFrom += soughtMax;
    return sought;
  }

  /** Viewers that were sought watch at `node`. */
  found(node: string, found: readonly Found[], now: Now): void {
    for (const { session, sinceMs } of found) {
      const viewer = this.#viewers.get(session);
      if (viewer === undefined || viewer.at !== undefined) continue;
      viewer.at = node;
      viewer.servedAt = Math.max(viewer.firstAt, now.monoMs - sinceMs);
    }
  }

  /** The failure that a request meets; undefined for almost all. */
  failureOf(stream: string, asker: Asker, now: Now): DrillFailure | undefined {
    const stage = this.#stage;
    const { session } = asker;
    if (stage === undefined || session === undefined || !this.isOn(now)) return undefined;
    if (stage.stream !== stream) return undefined;
    if (stage.probes.has(session)) return stage.chosen.has(session) ? stage.failure : undefined;
    if (!isAmong(stage, session) || !(stage.force || asker.canMove())) return undefined;
    this.#noteViewer(session, asker.family, now.monoMs);
    return stage.failure;
  }

  /** What is answered in the place of everything; undefined: go on, be it late, or with what stands still. */
  async instead(failure: DrillFailure): Promise<Answer | undefined> {
    switch (failure) {
      case 'not-found':
        return notFromHere('drill');
      case 'cut':
        return { kind: 'cut' };
      case 'silent':
        await this.#hold(this.#leftMs());
        return { kind: 'cut' };
      case 'slow':
        await this.#hold(Math.min(this.#stage?.slowMs ?? 0, this.#leftMs()));
        return undefined;
      case 'frozen':
        return undefined;
    }
  }

  /** The playlist as it was when it was first asked for after the failure began. */
  frozen(path: string, snapshot: MediaSnapshot): MediaSnapshot {
    const kept = this.#frozen.get(path);
    if (kept !== undefined) return kept;
    if (this.#frozen.size < frozenMax) this.#frozen.set(path, snapshot);
    return snapshot;
  }

  #leftMs(): number {
    return Math.max(0, (this.#stage?.until ?? 0) - this.#deps.clock.now().monoMs);
  }

  /** Resolves after `ms`, or when the drill ends. */
  #hold(ms: number): Promise<void> {
    if (this.#held.size >= heldMax || ms === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const release = () => {
        takeBack();
        this.#held.delete(release);
        resolve();
      };
      const takeBack = this.#deps.timers.after(ms, release);
      this.#held.add(release);
    });
  }

  #noteViewer(session: string, family: PlayerFamily, at: MonoMs): void {
    const known = this.#viewers.get(session);
    if (known !== undefined) {
      known.lastAt = at;
    } else if (this.#viewers.size < viewersMax)
      this.#viewers.set(session, { family, firstAt: at, lastAt: at });
  }
}

/** Others in every drill, and always the same in one. */
function isAmong({ id, viewersPercent }: Stage, session: string): boolean {
  return (hash32(`drill ${id} ${session}`) / 2 ** 32) * 100 < viewersPercent;
}
