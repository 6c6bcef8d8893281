import { type DrillWish, drillLimits, shareOfCount } from '../../core/drill/failure.ts';
import { playerRules } from '../../core/drill/player-rules.ts';
import { AgentError } from '../../core/errors.ts';
import type { NodeFacts } from '../../core/group/node.ts';
import { passGroup } from '../../core/pass/claims.ts';
import { placesOf } from '../../core/placement/address-fit.ts';
import type { Candidates } from '../../core/placement/candidates.ts';
import type { Now } from '../../core/time.ts';
import type { LiveStreams } from '../live-streams.ts';
import type { Outlook } from '../outlook.ts';
import type { Passes } from '../passes.ts';
import type { Clock, Log, NewId, OpenProbeConnection, Timers } from '../ports.ts';
import type { Sessions } from '../sessions.ts';
import type { ViewingKeys } from '../viewing-keys.ts';
import { namePath, passClaims } from '../viewing-parts.ts';
import { type Drill, type DrillView, drillView } from './drill-view.ts';
import { Probe } from './probe.ts';
import { createSleeper } from './sleeper.ts';
import type { Staging } from './staging.ts';

/** Drills that are remembered, this one included. */
const keptMax = 20;
/** Players that do not play by then are left out, ms. */
const warmUpMsMax = 20_000;

type Deps = {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly newId: NewId;
  readonly openConnection: OpenProbeConnection;
  readonly self: () => NodeFacts;
  readonly live: Pick<LiveStreams, 'config'>;
  readonly outlook: Pick<Outlook, 'candidates'>;
  readonly keys: Pick<ViewingKeys, 'signing' | 'ownKey'>;
  readonly passes: Pick<Passes, 'issue'>;
  readonly sessions: Pick<Sessions, 'end'>;
  readonly staging: Staging;
};

/**
 * Drills of this node, one at a time: players of its own open a stream, meet a failure that others do not, and it is told
 * how they fared. All of it is in memory: a drill does not outlive the process.
 */
export class Drills {
  readonly #deps: Deps;
  #drills: readonly Drill[] = [];

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Newest first. */
  list(now: Now): readonly DrillView[] {
    return this.#drills.map((drill) => drillView(drill, now.monoMs));
  }

  get(id: string, now: Now): DrillView | undefined {
    const drill = this.#drills.find((one) => one.id === id);
    return drill && drillView(drill, now.monoMs);
  }

  /**
   * Begins a drill. @throws not_found when the stream is not carried here; conflict when one is on, or nobody could take
   * over now and `force` is not set
   */
  begin(wish: DrillWish, now: Now): DrillView {
    const { live, newId, outlook, log } = this.#deps;
    const config = live.config(wish.stream);
    if (config === undefined)
      throw new AgentError('not_found', `there is no stream "${wish.stream}" here`);
    const candidates = outlook.candidates(wish.stream, now);
    this.#assertPossible(wish, candidates);
    const drill: Drill = {
      ...{ id: newId(), wish, startedAt: now.wallMs, state: 'warming' },
      ...{ probes: [], viewers: new Map(), sleeper: createSleeper(this.#deps.timers) },
    };
    const sessions = this.#createProbes(drill, candidates, now);
    this.#drills = [drill, ...this.#drills].slice(0, keptMax);
    log.info('drill begins', { drill: drill.id, ...wish });
    this.#run(drill, sessions).catch((error: unknown) => {
      log.error('drill failed', { drill: drill.id, cause: String(error) });
      if (isOn(drill)) this.#end(drill, 'stopped');
    });
    return drillView(drill, now.monoMs);
  }

  /** Ends a drill before its time; one that is over stays as it is. Undefined when there is none of this id. */
  stop(id: string, now: Now): DrillView | undefined {
    const drill = this.#drills.find((one) => one.id === id);
    if (drill !== undefined && isOn(drill)) this.#end(drill, 'stopped');
    return drill && drillView(drill, now.monoMs);
  }

  /** The agent stops. */
  close(): void {
    for (const drill of this.#drills) if (isOn(drill)) this.#end(drill, 'stopped');
  }

  #assertPossible({ stream, force }: DrillWish, candidates: Candidates): void {
    if (this.#drills.some(isOn)) throw new AgentError('conflict', 'a drill is on already');
    if (candidates.own?.hls?.air.onAir !== true)
      throw new AgentError('conflict', `stream "${stream}" is not on air here over HLS`);
    if (force || candidates.list.some(({ backup }) => backup?.eligible === true)) return;
    const others = candidates.list.map(({ node, backup }) => {
      const reasons = backup === undefined || backup.eligible ? [] : backup.reasons;
      return `${node.id} (${reasons.join(', ')})`;
    });
    const why = others.length === 0 ? 'no other node carries it' : others.join(', ');
    throw new AgentError('conflict', `nobody could take over "${stream}" now: ${why}`);
  }

  /** Players with passes of their own making; their sessions, and which of them meet the failure. */
  #createProbes(drill: Drill, candidates: Candidates, now: Now): DrillSessions {
    const { wish } = drill;
    const self = this.#deps.self();
    const [home] = placesOf(self).places;
    if (home === undefined) throw new AgentError('conflict', 'this node announces no address');
    const bases = [self, ...candidates.list.map(({ node }) => node)].flatMap((node) =>
      placesOf(node).everywhere.map(({ base }) => ({ base, node: node.id })),
    );
    const nodeAt = (url: string) => bases.find(({ base }) => url.startsWith(base))?.node;
    const budget = { left: drillLimits.bytesMax };
    const all: string[] = [];
    const chosen: string[] = [];
    const count = shareOfCount(wish.probes, wish.sharePercent);
    for (const family of wish.families)
      for (let at = 0; at < wish.probes; at += 1) {
        const session = this.#deps.newId();
        all.push(session);
        if (at < count) chosen.push(session);
        const pass = this.#passFor(session, wish.stream, now);
        const entry = `${home.base}${namePath(wish.stream)}/index.m3u8?pass=${pass}`;
        drill.probes.push(
          new Probe(
            { ...this.#deps, budget, nodeAt },
            {
              ...{ rules: playerRules[family], failure: wish.failure, slowMs: wish.slowMs },
              ...{ chosen: at < count, entry, home: self.id },
            },
          ),
        );
      }
    return { all: new Set(all), chosen: new Set(chosen) };
  }

  #passFor(session: string, stream: string, now: Now): string {
    const { self, live, keys, passes } = this.#deps;
    const { id, passTtlS } = self();
    const group = passGroup({ name: stream, group: live.config(stream)?.group });
    const claims = passClaims({
      ...{ home: id, nodes: [id], session, group, hops: [], ttlS: passTtlS, now },
    });
    return passes.issue(claims, keys.signing() ?? keys.ownKey());
  }

  /** Everybody plays, then comes the failure, then it is over. */
  async #run(drill: Drill, sessions: DrillSessions): Promise<void> {
    const { clock, staging } = this.#deps;
    const { wish, probes, sleeper } = drill;
    const ended = Promise.all(probes.map((probe) => probe.run()));
    await Promise.race([
      Promise.all(probes.map(({ started }) => started)),
      sleeper.sleep(warmUpMsMax),
    ]);
    const isUseless = wish.viewersPercent === 0 && !probes.some(({ isPlaying }) => isPlaying);
    if (drill.state === 'warming' && isUseless) this.#end(drill, 'done');
    else if (drill.state === 'warming') {
      const { monoMs, wallMs } = clock.now();
      const until = monoMs + wish.durationS * 1000;
      staging.begin({
        ...{ id: drill.id, stream: wish.stream, failure: wish.failure, slowMs: wish.slowMs },
        ...{ until, chosen: sessions.chosen, probes: sessions.all },
        ...{ viewersPercent: wish.viewersPercent, force: wish.force },
      });
      for (const probe of probes) probe.failureBegan(monoMs);
      drill.viewers = staging.met();
      drill.failure = { at: wallMs, beganAt: monoMs };
      drill.state = 'failing';
      await sleeper.sleep(wish.durationS * 1000);
      if (drill.state === 'failing') this.#end(drill, 'done');
    }
    await ended;
    for (const session of sessions.all) this.#deps.sessions.end(session);
  }

  #end(drill: Drill, state: 'done' | 'stopped'): void {
    const { clock, staging, log } = this.#deps;
    const now = clock.now();
    drill.state = state;
    drill.ended = { at: now.wallMs, monoMs: now.monoMs };
    staging.end();
    drill.final = drillView(drill, now.monoMs);
    for (const probe of drill.probes) probe.stop();
    drill.sleeper.wake();
    log.info('drill ends', { drill: drill.id, state, passed: drill.final.passed });
  }
}

type DrillSessions = { readonly all: ReadonlySet<string>; readonly chosen: ReadonlySet<string> };

function isOn({ state }: Drill): boolean {
  return state === 'warming' || state === 'failing';
}
