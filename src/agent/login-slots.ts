import { insteadOfMax, type Slot } from '../core/group/notes.ts';
import type { MonoMs, Now } from '../core/time.ts';
import type { SessionNotes } from './session-notes.ts';

/** A session that was not seen for longer has left its slot: three reloads of a playlist with segments of 10 s. */
const seenMsMax = 30_000;

/** Most slots that are held here; beyond it those unseen for longest are free. */
const heldMax = 200_000;

/** How many make room at once: finding the one unseen for longest costs more than freeing it. */
const roomMade = heldMax / 100;

/** Who asks for a slot, or holds one. */
export type SlotHolder = {
  readonly session: string;
  readonly login: string;
  /** `Viewer.key` */
  readonly viewerKey: string;
};

/** With the slots of the same login that were taken before and after it. Small: there is one for each viewer with a login. */
type Held = Omit<Slot, 'insteadOf'> & {
  /** Whole ms, which V8 keeps without a box. */
  seenAt: MonoMs;
  older: Held | undefined;
  newer: Held | undefined;
};

type Deps = {
  readonly scope: 'node' | 'group';
  readonly notes: SessionNotes;
  readonly isReachable: (peer: string, now: Now) => boolean;
  /** So that sessions and logins of one domain are told apart without being named. */
  readonly fingerprint: (text: string) => string;
};

/**
 * The sessions of each login that are being watched. A slot belongs to the session, whose pass takes it from node to
 * node: two nodes that name one session name one slot. With scope `group` those of reachable peers count, too.
 */
export class LoginSlots {
  readonly #deps: Deps;
  /** By fingerprint of the session, the one unseen for longest first. */
  readonly #held = new Map<string, Held>();
  /** By fingerprint of the login, the slot that was taken last. */
  readonly #byLogin = new Map<string, Held>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Takes a slot, or notes that it is still held. With more than `sessionsMax` then, sessions of the same address and
   * player let go, the oldest first: who opens again, or another stream, no longer watches what it watched before.
   */
  take(holder: SlotHolder, now: Now, sessionsMax?: number): void {
    const { scope, notes, fingerprint } = this.#deps;
    if (this.#isStillHeld(fingerprint(holder.session), now)) return;
    const slot = this.#slotOf(holder);
    const insteadOf = this.#makeWay(slot, sessionsMax, now);
    if (this.#held.size >= heldMax) this.#makeRoom();
    this.#hold(slot, now);
    const told = insteadOf.length > 0 ? { ...slot, insteadOf } : slot;
    notes.take(told, scope === 'group' || insteadOf.length > 0);
  }

  /** Whether the session gave its slot to another one, here or elsewhere: it is refused. Asking keeps that known. */
  hasLetGo(id: string): boolean {
    const { notes, fingerprint } = this.#deps;
    const session = fingerprint(id);
    if (!notes.hasLetGo(session)) return false;
    notes.letGo(session);
    return true;
  }

  /** What a session is called among slots. */
  nameOf(session: string): string {
    return this.#deps.fingerprint(session);
  }

  /** Frees the slot of a session that ended. */
  free(id: string): void {
    const held = this.#held.get(this.#deps.fingerprint(id));
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
   * How many slots of a login others hold. One of the same address and player is not another's: it lets go when there
   * is no other slot left.
   */
  takenByOthers(holder: SlotHolder, now: Now): number {
    const slot = this.#slotOf(holder);
    return this.#rivals(slot, now).filter(({ viewer }) => viewer !== slot.viewer).length;
  }

  #isStillHeld(session: string, now: Now): boolean {
    const held = this.#held.get(session);
    if (held === undefined) return false;
    held.seenAt = Math.round(now.monoMs);
    this.#held.delete(session);
    this.#held.set(session, held);
    return true;
  }

  /** Frees slots of the same address and player, as many as are too many with a further one; which these were. */
  #makeWay(slot: Slot, sessionsMax = Number.POSITIVE_INFINITY, now: Now): readonly string[] {
    const rivals = this.#rivals(slot, now);
    const surplus = Math.max(0, Math.min(rivals.length + 1 - sessionsMax, insteadOfMax));
    const going = rivals.filter(({ viewer }) => viewer === slot.viewer).slice(0, surplus);
    for (const { session } of going) {
      const held = this.#held.get(session);
      if (held !== undefined) this.#drop(held);
      this.#deps.notes.letGo(session);
    }
    return going.map(({ session }) => session);
  }

  /** The other slots of a login: those here, oldest first, then those of reachable peers where they count. */
  #rivals({ session, login }: Slot, now: Now): readonly Slot[] {
    const { scope, notes, isReachable } = this.#deps;
    const rivals = new Map<string, Slot>();
    for (const held of this.#ofLogin(login))
      if (now.monoMs - held.seenAt <= seenMsMax) rivals.set(held.session, held);
    if (scope === 'group')
      for (const [slot, peer] of notes.takenElsewhere(login))
        if (!rivals.has(slot.session) && isReachable(peer, now)) rivals.set(slot.session, slot);
    rivals.delete(session);
    return [...rivals.values()].filter((slot) => !notes.hasLetGo(slot.session));
  }

  #makeRoom(): void {
    let left = roomMade;
    for (const held of this.#held.values()) {
      this.#drop(held);
      left -= 1;
      if (left === 0) return;
    }
  }

  /** The slots of a login here, in the order in which they were taken. */
  #ofLogin(login: string): readonly Held[] {
    const slots: Held[] = [];
    for (let held = this.#byLogin.get(login); held !== undefined; held = held.older)
      slots.push(held);
    return slots.reverse();
  }

  #hold({ session, login, viewer }: Slot, now: Now): void {
    const older = this.#byLogin.get(login);
    const seenAt = Math.round(now.monoMs);
    const held: Held = { session, login, viewer, seenAt, older, newer: undefined };
    if (older !== undefined) older.newer = held;
    this.#held.set(session, held);
    this.#byLogin.set(login, held);
  }

  #slotOf({ session, login, viewerKey }: SlotHolder): Slot {
    const { fingerprint } = this.#deps;
    return {
      session: fingerprint(session),
      login: fingerprint(login),
      viewer: fingerprint(viewerKey),
    };
  }

  #drop({ session, login, older, newer }: Held): void {
    this.#held.delete(session);
    if (older !== undefined) older.newer = newer;
    if (newer !== undefined) newer.older = older;
    else if (older !== undefined) this.#byLogin.set(login, older);
    else this.#byLogin.delete(login);
    this.#deps.notes.free(session);
  }
}
