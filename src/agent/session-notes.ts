import { type EndedSession, type Notes, notesMax, type Slot } from '../core/group/notes.ts';
import type { MonoMs, Now } from '../core/time.ts';
import { ChangeLog } from './change-log.ts';
import { RecentSet } from './recent-set.ts';

/** Ended sessions that are remembered; beyond it the one ended first is forgotten. */
const endedMax = 10_000;

/** Slots of this node that others are told of; further ones count on this node only. */
const slotsMax = 20_000;

/** Slots kept of one other node. */
const slotsPerPeerMax = 20_000;

/** Sessions that let go are refused for once to twice this long after they last asked: hidden pages ask once a minute. */
const letGoMs = 180_000;

/** Most of them that are remembered from one such time. */
const letGoMax = 20_000;

type Note = { readonly ended: EndedSession } | { readonly slot: Slot };

/** What is known of single sessions all over the domain: which were ended, and which slots of logins are taken elsewhere. */
export class SessionNotes {
  readonly #log = new ChangeLog<Note>();
  /** Unix seconds until which passes of the session may be shown, by session id, in the order in which they ended. */
  readonly #ended = new Map<string, number>();
  #slots = 0;
  /** By fingerprint. */
  readonly #letGo = new RecentSet(letGoMax);
  #letGoTurnedAt: MonoMs = 0;
  /** By peer, then by session. */
  readonly #elsewhere = new Map<string, Map<string, Slot>>();
  /** By login: the slots taken elsewhere, each with its peer. */
  readonly #byLogin = new Map<string, Map<Slot, string>>();
  #onRefused: (name: string) => void = () => undefined;

  /** `tell` is told each session that is refused from now on: its id where it ended, its fingerprint where it let go. */
  onRefused(tell: (name: string) => void): void {
    this.#onRefused = tell;
  }

  /** Ends a session here and, by telling, everywhere. */
  end(ended: EndedSession): void {
    if (this.#ended.has(ended.id)) return;
    this.#ended.set(ended.id, ended.untilS);
    this.#onRefused(ended.id);
    // Without a pass the viewer is known here only, by its address.
    if (!ended.id.includes('|')) this.#log.put(`ended ${ended.id}`, { ended });
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > endedMax && oldest !== undefined) this.#forgetEnded(oldest);
  }

  isEnded(id: string): boolean {
    return this.#ended.has(id);
  }

  /** A session gave its slot to another one of the same player. */
  letGo(session: string): void {
    if (!this.#letGo.has(session)) this.#onRefused(session);
    this.#letGo.add(session);
  }

  /** Whether a session let go of its slot, and is refused. */
  hasLetGo(session: string): boolean {
    return this.#letGo.has(session);
  }

  /** Forgets ended sessions whose passes have run out, and those that let go and have not asked for long. */
  expire(now: Now): void {
    if (now.monoMs - this.#letGoTurnedAt >= letGoMs) {
      this.#letGoTurnedAt = now.monoMs;
      this.#letGo.turn();
    }
    for (const [id, untilS] of this.#ended) if (untilS * 1000 < now.wallMs) this.#forgetEnded(id);
  }

  /** A slot is taken here, and the others hear of it if that `isTold`. */
  take(slot: Slot, isTold: boolean): void {
    this.#letGo.delete(slot.session);
    if (!isTold) return;
    const key = `slot ${slot.session}`;
    if (this.#log.has(key) || this.#slots >= slotsMax) return;
    this.#slots += 1;
    this.#log.put(key, { slot });
  }

  free(session: string): void {
    const key = `slot ${session}`;
    if (!this.#log.has(key)) return;
    this.#slots -= 1;
    this.#log.remove(key);
  }

  /** Slots that other nodes said a login has; `from` says which node. */
  takenElsewhere(login: string): ReadonlyMap<Slot, string> {
    return this.#byLogin.get(login) ?? none;
  }

  /** For a peer that knows what was so at version `since`; nothing when it knows all, or does not ask. */
  news(since: number | undefined): Notes | undefined {
    if (since === undefined) return undefined;
    const { put, removed, ...rest } = this.#log.since(since, notesMax);
    if (rest.version === since && !rest.full) return undefined;
    return {
      ...rest,
      ended: put.flatMap((note) => ('ended' in note ? note.ended : [])),
      taken: put.flatMap((note) => ('slot' in note ? note.slot : [])),
      freed: removed.map((key) => key.slice('slot '.length)),
    };
  }

  /** What another node tells; ended sessions are told on, so that they survive a restart of who ended them. */
  learn(from: string, { full, ended, taken, freed }: Notes): void {
    for (const one of ended) this.end(one);
    if (full) this.#forgetPeer(from);
    if (!full && taken.length === 0 && freed.length === 0) return;
    const slots = this.#elsewhere.get(from) ?? new Map<string, Slot>();
    this.#elsewhere.set(from, slots);
    for (const session of freed) this.#drop(slots, session);
    for (const slot of taken) {
      this.#letGo.delete(slot.session);
      for (const session of slot.insteadOf ?? []) this.letGo(session);
      this.#drop(slots, slot.session);
      if (slots.size >= slotsPerPeerMax) continue;
      slots.set(slot.session, slot);
      const ofLogin = this.#byLogin.get(slot.login) ?? new Map<Slot, string>();
      this.#byLogin.set(slot.login, ofLogin.set(slot, from));
    }
  }

  #forgetEnded(id: string): void {
    this.#ended.delete(id);
    this.#log.forget(`ended ${id}`);
  }

  #forgetPeer(from: string): void {
    const slots = this.#elsewhere.get(from);
    if (slots !== undefined) for (const session of slots.keys()) this.#drop(slots, session);
  }

  #drop(slots: Map<string, Slot>, session: string): void {
    const slot = slots.get(session);
    if (slot === undefined) return;
    slots.delete(session);
    const ofLogin = this.#byLogin.get(slot.login);
    ofLogin?.delete(slot);
    if (ofLogin?.size === 0) this.#byLogin.delete(slot.login);
  }
}

const none: ReadonlyMap<Slot, string> = new Map();
