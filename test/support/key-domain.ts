import type { ViewingKey } from '../../src/agent/ports.ts';
import { ViewingKeys } from '../../src/agent/viewing-keys.ts';
import type { NodeFacts, Peer } from '../../src/core/group/node.ts';
import { aNode } from './builders.ts';
import { memoryKeyStore, plainWrap, recordingLog } from './pass-fakes.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/** Life of the passes of this domain, and how long after it one may still be good somewhere, seconds. */
const passTtlS = 60;
const forgivenS = 480;
const passLifeMs = (passTtlS + forgivenS) * 1000;

/** A pass, as far as keys matter. Times are of the virtual monotonic clock that all nodes share, but for `overAt`. */
type IssuedPass = {
  readonly key: string;
  readonly issuer: number;
  readonly signedAt: number;
  /** By node: when it had last heard the issuer, and from when on its own wall clock refuses the pass. */
  readonly audience: Map<number, { readonly heardAt: number; readonly overAt: number }>;
};

/** A pass refused by a node that it names, only because the node does not hold its key. */
export type Refusal = {
  readonly key: string;
  readonly issuer: number;
  readonly by: number;
  readonly signedAt: number;
  readonly heardAt: number;
  readonly refusedAt: number;
};

/** Nodes that exchange viewing keys in virtual time, over links that can be cut in each direction. */
export class KeyDomain {
  readonly #time = createVirtualClock();
  readonly #clocks: readonly VirtualClock[];
  readonly #stores;
  readonly #keys: (ViewingKeys | undefined)[];
  readonly #cut = new Set<string>();
  /** By asker and asked: facts last heard, and when. */
  readonly #heard = new Map<string, { facts: NodeFacts; at: number }>();
  #passes: IssuedPass[] = [];
  readonly refusals: Refusal[] = [];
  #made = 0;

  constructor(offsetsMs: readonly number[]) {
    this.#clocks = offsetsMs.map((wallOffsetMs) => this.#time.sibling({ wallOffsetMs }));
    this.#stores = offsetsMs.map(() => memoryKeyStore());
    this.#keys = offsetsMs.map((_, node) => this.#boot(node));
  }

  get size(): number {
    return this.#clocks.length;
  }

  at(node: number): ViewingKeys {
    const keys = this.#keys[node];
    if (keys === undefined) throw new Error(`node ${node} is down`);
    return keys;
  }

  isUp(node: number): boolean {
    return this.#keys[node] !== undefined;
  }

  rotate(node: number): ViewingKey {
    return this.at(node).rotate(this.#now(node));
  }

  /** `asker` hears nothing from `asked` any more. */
  cut(asker: number, asked: number): void {
    this.#cut.add(`${asker} ${asked}`);
  }

  /** No node of one side hears one of the other. */
  split(side: readonly number[]): void {
    for (const [asker, asked] of this.#pairs()) {
      if (side.includes(asker) !== side.includes(asked)) this.cut(asker, asked);
    }
  }

  heal(): void {
    this.#cut.clear();
  }

  stop(node: number): void {
    this.#keys[node] = undefined;
  }

  /** Starts a node (again) from what its store kept, or with an empty one. */
  start(node: number, { wiped = false } = {}): void {
    if (wiped) this.#stores[node] = memoryKeyStore();
    for (const [asker, asked] of this.#pairs()) {
      if (asker === node) this.#heard.delete(`${asker} ${asked}`);
    }
    this.#endPasses(node);
    this.#keys[node] = this.#boot(node);
  }

  stepWall(node: number, ms: number): void {
    this.#clocks[node]?.stepWall(ms);
  }

  /** Time goes on; every node asks every other one it can reach, decides, issues a pass; all passes are checked. */
  async round(ms = 1_000): Promise<void> {
    this.#time.advance(ms);
    for (const [asker, asked] of this.#pairs()) await this.#ask(asker, asked);
    for (const node of this.#up()) this.at(node).tick(this.#now(node), this.#view(node));
    for (const node of this.#up()) this.#issue(node);
    this.#check();
  }

  async rounds(count: number, ms?: number): Promise<void> {
    for (let round = 0; round < count; round += 1) await this.round(ms);
  }

  /** Ids of the keys that sign, one entry per node. */
  signing(): readonly (string | undefined)[] {
    return this.#up().map((node) => this.at(node).signing()?.id);
  }

  states(): readonly string[] {
    return this.#up().map((node) => this.at(node).state());
  }

  #boot(node: number): ViewingKeys {
    const store = this.#stores[node] ?? memoryKeyStore();
    return new ViewingKeys({
      clock: this.#clocks[node] ?? this.#time,
      log: recordingLog(),
      store,
      newId: () => {
        this.#made += 1;
        return `n${node}k${this.#made}`;
      },
      wrap: plainWrap(),
      randomBytes: (length) => new Uint8Array(length).fill(this.#made),
      passTtlS,
      peersExpected: this.size - 1,
    });
  }

  async #ask(asker: number, asked: number): Promise<void> {
    if (!this.#isHeard(asker, asked)) return;
    const answering = this.at(asked);
    const facts = aNode({
      id: `node-${asked}`,
      keys: answering.heldIds(),
      signingKey: answering.signing()?.id,
      passTtlS,
    });
    this.#heard.set(`${asker} ${asked}`, { facts, at: this.#monoMs() });
    const asking = this.at(asker);
    if (asking.lacks(facts.keys)) await asking.absorb(await answering.wrapped(), this.#now(asker));
  }

  #view(node: number): readonly Peer[] {
    const others = this.#others(node);
    const isAlone = !others.some((other) => this.#isHeard(node, other));
    return others.map((other) => {
      const lost = isAlone ? 'unknown' : 'unreachable';
      return {
        url: `http://node-${other}:8082`,
        reachability: this.#isHeard(node, other) ? 'reachable' : lost,
        facts: this.#heard.get(`${node} ${other}`)?.facts,
        streams: new Map(),
      };
    });
  }

  /** One pass for this node alone, one that names every other node which can be a backup. */
  #issue(node: number): void {
    const keys = this.at(node);
    this.#note(node, keys.ownKey().id, [node]);
    const signing = keys.signing();
    if (signing === undefined) return;
    const others = this.#others(node).filter(
      (other) =>
        this.#isHeard(node, other) &&
        this.#heard.get(`${node} ${other}`)?.facts.keys.includes(signing.id),
    );
    this.#note(node, signing.id, [node, ...others]);
  }

  #note(issuer: number, key: string, audience: readonly number[]): void {
    const signedAt = this.#monoMs();
    const entries = audience.map((node) => {
      const heard = this.#heard.get(`${node} ${issuer}`)?.at ?? 0;
      const overAt = this.#now(node).wallMs + passLifeMs;
      return [node, { heardAt: node === issuer ? signedAt : heard, overAt }] as const;
    });
    this.#passes.push({ key, issuer, audience: new Map(entries), signedAt });
  }

  #check(): void {
    const refusedAt = this.#monoMs();
    this.#passes = this.#passes.filter(({ signedAt }) => refusedAt - signedAt < passLifeMs);
    for (const node of this.#up()) this.#endPasses(node);
    for (const { key, issuer, audience, signedAt } of this.#passes) {
      for (const [by, { heardAt }] of audience) {
        if (this.#keys[by] === undefined || this.at(by).keyOf(key) !== undefined) continue;
        this.refusals.push({ key, issuer, by, signedAt, heardAt, refusedAt });
      }
    }
  }

  /** A node whose wall clock once said that a pass is over is not held to it any more. */
  #endPasses(node: number): void {
    const { wallMs } = this.#now(node);
    for (const { audience } of this.#passes) {
      if (wallMs >= (audience.get(node)?.overAt ?? wallMs)) audience.delete(node);
    }
  }

  #isHeard(asker: number, asked: number): boolean {
    return this.isUp(asker) && this.isUp(asked) && !this.#cut.has(`${asker} ${asked}`);
  }

  #now(node: number) {
    return (this.#clocks[node] ?? this.#time).now();
  }

  #monoMs(): number {
    return this.#time.now().monoMs;
  }

  #up(): readonly number[] {
    return [...this.#clocks.keys()].filter((node) => this.isUp(node));
  }

  #others(node: number): readonly number[] {
    return [...this.#clocks.keys()].filter((other) => other !== node);
  }

  #pairs(): readonly (readonly [number, number])[] {
    return [...this.#clocks.keys()].flatMap((asker) =>
      this.#others(asker).map((asked) => [asker, asked] as const),
    );
  }
}
