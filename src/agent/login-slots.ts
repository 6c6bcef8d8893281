import type { Slot } from '../core/group/notes.ts';
import { hash32 } from '../core/hash.ts';
import type { MonoMs, Now } from '../core/time.ts';
import type { SessionNotes } from './session-notes.ts';

/** A session that was not seen for longer has left its slot: three reloads of a playlist with segments of 10 s. */
const seenMsMax = 30_000;

/** Who asks for a slot, or holds one. */
export type SlotHolder = {
  readonly session: string;
  readonly login: string;
  /** `Viewer.key` */
  readonly viewerKey: string;
};

type Held = Slot & { seenAt: MonoMs };

/**
 * The sessions of each login that are being watched. A slot belongs to the session, whose pass takes it from node to
 * node: two nodes that name one session name one slot. With scope `group` those of reachable peers count, too.
 */
export class LoginSlots {
  readonly #deps: {
    readonly scope: 'node' | 'group';
    readonly notes: SessionNotes;
    readonly isReachable: (peer: string, now: Now) => boolean;
  };
  /** By hash of the session, the one unseen for longest first. */
  readonly #held = new Map<string, Held>();
  readonly #byLogin = new Map<string, Set<Held>>();

  constructor(deps: {
    scope: 'node' | 'group';
    notes: SessionNotes;
    isReachable: (peer: string, now: Now) => boolean;
  }) {
    this.#deps = deps;
  }

  /** Takes a slot, or notes that it is still held. */
  take(holder: SlotHolder, now: Now): void {
    const session = hashOf(holder.session);
    const known = this.#held.get(session);
    if (known !== undefined) {
      known.seenAt = now.monoMs;
      this.#held.delete(session);
      this.#held.set(session, known);
      return;
    }
    const login = hashOf(holder.login);
    const held = { session, login, viewer: hashOf(holder.viewerKey), seenAt: now.monoMs };
    this.#held.set(session, held);
    const ofLogin = this.#byLogin.get(login) ?? new Set();
    this.#byLogin.set(login, ofLogin.add(held));
    if (this.#deps.scope === 'group')
      this.#deps.notes.take({ session, login, viewer: held.viewer });
  }

  /** Frees the slot of a session that ended. */
  free(id: string): void {
    const held = this.#held.get(hashOf(id));
    if (held !== undefined) this.#drop(held);
  }

  /** Frees the slots of those not seen for 30 s. */
  expire(now: Now): void {
    for (const held of this.#held.values()) {
      if (now.monoMs - held.seenAt <= seenMsMax) return;
      this.#drop(held);
    }
  }

  /**
   * How many slots of a login others hold. One of the same address and player is not another's: who opens again, or
   * another stream, lets go of what it watched before.
   */
  takenByOthers({ session, login, viewerKey }: SlotHolder, now: Now): number {
    const { scope, notes, isReachable } = this.#deps;
    const viewer = hashOf(viewerKey);
    const others = new Set<string>();
    const count = (slot: Slot) => {
      if (slot.viewer !== viewer) others.add(slot.session);
    };
    for (const held of this.#byLogin.get(hashOf(login)) ?? [])
      if (now.monoMs - held.seenAt <= seenMsMax) count(held);
    if (scope === 'group')
      for (const [slot, peer] of notes.takenElsewhere(hashOf(login)))
        if (isReachable(peer, now)) count(slot);
    others.delete(hashOf(session));
    return others.size;
  }

  #drop(held: Held): void {
    this.#held.delete(held.session);
    const ofLogin = this.#byLogin.get(held.login);
    ofLogin?.delete(held);
    if (ofLogin?.size === 0) this.#byLogin.delete(held.login);
    this.#deps.notes.free(held.session);
  }
}

/** 64 bits, to tell sessions and logins of one domain apart without naming them. */
function hashOf(text: string): string {
  return hash32(text).toString(36) + hash32(`${text}\n`).toString(36);
}
