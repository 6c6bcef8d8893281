import type { Peer } from '../core/group/node.ts';
import {
  confirmingPeers,
  holds,
  isFirstKeyDue,
  type KeyDomain,
  type KeyState,
  keyState,
  mergeKeys,
  ringSizeMax,
  settleRing,
  sharedKeys,
  signingAtStart,
  signingKey,
} from '../core/pass/key-ring.ts';
import type { Now } from '../core/time.ts';
import { KeptKeys } from './kept-keys.ts';
import type { Clock, KeyStore, KeyWrap, Log, NewId, RandomBytes, ViewingKey } from './ports.ts';
import { RotationSchedule } from './rotation-schedule.ts';

/** Bytes of a key's secret: as long as the hash of HS256. */
const secretLength = 32;

/** Ids of dropped keys that are remembered, so that a peer which still holds them does not give them back. */
const droppedMax = 64;

/**
 * The viewing keys of this node: the ring, which key signs, and what is kept over restarts. Time inside is the wall
 * clock at start moved on by the monotonic one, so that a clock step ends no key's life. A store that fails
 * is tried again with each tick and never stops serving.
 */
export class ViewingKeys {
  readonly #deps: Deps;
  readonly #started: Now;
  readonly #kept: KeptKeys;
  /** Newest first; the key that is good on this node only comes last. */
  #ring: readonly ViewingKey[] = [];
  #byId: ReadonlyMap<string, ViewingKey> = new Map();
  #heldIds: readonly string[] = [];
  #signing: ViewingKey | undefined;
  #domain: KeyDomain;
  #longestPassTtlS: number;
  readonly #schedule = new RotationSchedule();
  readonly #dropped = new Set<string>();
  #wrapped: Promise<string> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#started = deps.clock.now();
    this.#kept = new KeptKeys(deps);
    this.#domain = { peers: [], peersExpected: deps.peersExpected };
    this.#longestPassTtlS = deps.passTtlS;
    this.#load();
    this.#agree(this.#started);
    // What a wrong clock may have ended is taken from peers again.
    this.#dropped.clear();
    if (this.#ring.length === 0) this.#make(0, this.#started);
    this.#keep(this.#started);
  }

  /** The key of this id, also a superseded one while passes it signed may live. */
  keyOf(id: string): ViewingKey | undefined {
    return this.#byId.get(id);
  }

  /** The key for passes that name other nodes; undefined until the peers confirmed one. */
  signing(): ViewingKey | undefined {
    return this.#signing;
  }

  /** The key for passes that are good only here; there is always one. */
  ownKey(): ViewingKey {
    const key = this.#signing ?? this.#ring[0];
    if (key === undefined) throw new Error('the key ring is empty');
    return key;
  }

  /** Ids of the keys other nodes may hold, newest first. */
  heldIds(): readonly string[] {
    return this.#heldIds;
  }

  state(): KeyState {
    return keyState(this.#ring, this.#signing);
  }

  /** What the API shows: never a secret. `lackedBy`: ids of reachable peers that do not hold the key. */
  view() {
    const peers = confirmingPeers(this.#domain.peers);
    const keys = sharedKeys(this.#ring).map((key) => ({
      id: key.id,
      generation: key.generation,
      createdAt: key.createdAt,
      supersededAt: key.supersededAt,
      signs: key === this.#signing,
      lackedBy: peers
        .filter((peer) => !holds(peer, key.id))
        .map(({ url, facts }) => facts?.id ?? url),
    }));
    return { state: this.state(), keys };
  }

  /**
   * Makes the next key and returns it. While the newest one still waits for peers, or while the ring is full of keys
   * that may verify living passes, the newest is returned instead.
   */
  rotate(now: Now): ViewingKey {
    const [newest] = sharedKeys(this.#ring);
    if (newest !== undefined && newest !== this.#signing) return newest;
    if (newest !== undefined && this.#ring.length >= ringSizeMax) {
      this.#deps.log.warn('viewing key not rotated: too many keys still verify passes');
      return newest;
    }
    const made = this.#make((newest?.generation ?? 0) + 1, now);
    this.#agree(now);
    this.#keep(now);
    return made;
  }

  /** For a schedule that strikes on all nodes at once: rotates within 20 s, unless another node did meanwhile. */
  scheduleRotation(now: Now): void {
    const [byte = 0] = this.#deps.randomBytes(1);
    this.#schedule.strike(now.monoMs, byte / 256);
  }

  /** All keys for a peer, wrapped. Empty when there is no cluster secret. */
  wrapped(): Promise<string> {
    if (this.#wrapped === undefined) {
      const wrapped = this.#deps.wrap?.wrap(sharedKeys(this.#ring)) ?? Promise.resolve('');
      this.#wrapped = wrapped;
      wrapped.catch(() => {
        if (this.#wrapped === wrapped) this.#wrapped = undefined;
      });
    }
    return this.#wrapped;
  }

  /** Takes the keys of a peer in. `refused`: not wrapped by a node of this domain. */
  async absorb(text: string, now: Now): Promise<'changed' | 'same' | 'refused'> {
    const given = await this.#deps.wrap?.unwrap(text);
    if (given === undefined) return 'refused';
    const ring = mergeKeys(
      this.#ring,
      sharedKeys(given).filter(({ id }) => !this.#dropped.has(id)),
    );
    if (ring === this.#ring) return 'same';
    this.#replace(ring, now);
    this.#agree(now);
    this.#keep(now);
    return 'changed';
  }

  /** Whether a peer that announces `ids` holds a key which we should ask it for. */
  lacks(ids: readonly string[]): boolean {
    return ids.some((id) => !this.#byId.has(id) && !this.#dropped.has(id));
  }

  /**
   * One step of the agreement, due each second: first key, rotation, which key signs, which are over. `peers` are all
   * configured ones, heard or not, this node left out.
   */
  tick(now: Now, peers: readonly Peer[]): void {
    this.#domain = { peers, peersExpected: peers.length };
    this.#load();
    if (this.#schedule.takeDue(now.monoMs)) this.rotate(now);
    this.#agree(now);
    this.#keep(now);
  }

  #agree(now: Now): void {
    const domain = this.#domain;
    if (isFirstKeyDue(this.#ring, domain, now.monoMs - this.#started.monoMs)) this.#make(1, now);
    const signing = signingKey(this.#ring, this.#signing, domain);
    if (signing !== undefined && signing.id !== this.#signing?.id) {
      this.#deps.log.info('viewing key signs', { key: signing.id });
    }
    this.#signing = signing;
    for (const { facts } of domain.peers) {
      this.#longestPassTtlS = Math.max(this.#longestPassTtlS, facts?.passTtlS ?? 0);
    }
    const ring = settleRing(this.#ring, {
      signing,
      domain,
      longestPassTtlS: this.#longestPassTtlS,
      at: this.#steadyMs(now),
    });
    if (ring !== this.#ring) this.#replace(ring, now);
  }

  /** The wall clock at start moved on by the monotonic one. */
  #steadyMs(now: Now): number {
    return Math.floor(this.#started.wallMs + now.monoMs - this.#started.monoMs);
  }

  #keep(now: Now): void {
    this.#kept.write(this.#ring, now.wallMs - this.#steadyMs(now));
  }

  #make(generation: number, now: Now): ViewingKey {
    const key = {
      id: `${generation}-${this.#deps.newId()}`,
      generation,
      createdAt: now.wallMs,
      secret: this.#deps.randomBytes(secretLength),
    };
    this.#deps.log.info('viewing key made', { key: key.id });
    this.#replace(mergeKeys(this.#ring, [key]), now);
    return key;
  }

  #replace(ring: readonly ViewingKey[], now: Now): void {
    if (ring[0]?.id !== this.#ring[0]?.id) this.#schedule.noteNewest(now.monoMs);
    const before = this.#ring;
    this.#hold(ring);
    for (const { id } of before) if (!this.#byId.has(id)) this.#forget(id);
  }

  #hold(ring: readonly ViewingKey[]): void {
    this.#ring = ring;
    this.#byId = new Map(ring.map((key) => [key.id, key]));
    this.#heldIds = sharedKeys(ring).map(({ id }) => id);
    this.#signing = this.#signing && this.#byId.get(this.#signing.id);
    this.#wrapped = undefined;
  }

  #forget(id: string): void {
    this.#dropped.add(id);
    for (const oldest of this.#dropped) {
      if (this.#dropped.size <= droppedMax) return;
      this.#dropped.delete(oldest);
    }
  }

  #load(): void {
    const kept = this.#kept.read();
    if (kept.length === 0) return;
    this.#hold(mergeKeys(this.#ring, kept));
    this.#signing ??= signingAtStart(mergeKeys([], kept));
  }
}

type Deps = {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: KeyStore;
  readonly newId: NewId;
  readonly wrap?: KeyWrap | undefined;
  readonly randomBytes: RandomBytes;
  /** Life of this node's passes. */
  readonly passTtlS: number;
  /** Peers in the configuration, until the first tick says which of them are other nodes. */
  readonly peersExpected: number;
};
