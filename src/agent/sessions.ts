import type { Now, UnixMs } from '../core/time.ts';
import type { PlayerFamily } from '../core/viewer/viewer.ts';

/** Most sessions that are tracked. Beyond it the longest idle make room; their viewers are served all the same. */
const sessionsMax = 200_000;

/** How many make room at once: finding the longest idle costs more than ending it. */
const roomMade = sessionsMax / 100;

/**
 * How long a session is active after its last request, whole seconds. Players reload a playlist every target duration
 * (10 s at most in the field), but browsers wake the timers of a hidden page once a minute only: three such wake-ups.
 */
const activeS = 180;

/** Most sessions in one answer of `list`. */
const listMax = 1_000;

/** Who was seen this recently is watching now: three reloads of a playlist with segments of 10 s. */
const watchingS = 30;

/** A viewer now. */
export type Session = {
  readonly id: string;
  /** Name of the stream here. */
  readonly stream: string;
  /** `own`: the viewer came to this node first; `backup`: another node sent it. */
  readonly kind: 'own' | 'backup';
  /** Id of the home node. */
  readonly home: string;
  readonly login?: string | undefined;
  readonly family: PlayerFamily;
  /** Ids of the nodes the viewer was told as backups, in order. */
  readonly backups: readonly string[];
  readonly startedAt: UnixMs;
  readonly lastSeenAt: UnixMs;
  /** What is known to have been sent to it: its playlists, and segments over a connection that is only its own. */
  readonly bytes: number;
};

/** What is known of a session when it starts. */
export type SessionStart = Omit<Session, 'startedAt' | 'lastSeenAt' | 'bytes'>;

/** Which sessions are asked for; what is absent does not matter. */
export type SessionFilter = {
  readonly [field in 'stream' | 'kind' | 'home']?: Session[field] | undefined;
};

/** Bytes are counted in this unit, so that whatever is watched in a day stays a small number for V8. */
const bytesUnit = 256;

/** What many sessions have in common, kept once. */
type Shared = Omit<SessionStart, 'id' | 'login'> & {
  readonly key: string;
  users: number;
  /** Those among them who watch now, as the last survey found. */
  watching: number;
};

/** Sessions that are alike but for the viewer, and how many of them watch now. */
export type Watching = Pick<Session, 'stream' | 'kind' | 'home' | 'backups'> & {
  readonly sessions: number;
};

/** Whole seconds, which V8 keeps without a box. `seenS` is monotonic. */
type Kept = {
  shared: Shared;
  login: string | undefined;
  startedS: number;
  seenS: number;
  /** Of `bytesUnit`. */
  sent: number;
};

/**
 * The viewers of this node by session id, longest idle first. In memory only. `expire` is due each second: counts and
 * lists are right as of the last one.
 */
export class Sessions {
  readonly #kept = new Map<string, Kept>();
  readonly #shared = new Map<string, Shared>();
  readonly #counts = { own: 0, backup: 0 };
  #latest: Now = { wallMs: 0, monoMs: 0 };

  /** Starts a session, or goes on with the active one of this id: on the same stream `startedAt` stays. */
  start(start: SessionStart, now: Now): void {
    this.#latest = now;
    const before = this.#active(start.id, now);
    const startedS =
      before?.shared.stream === start.stream ? before.startedS : Math.floor(now.wallMs / 1000);
    const sent = before?.shared.stream === start.stream ? before.sent : 0;
    this.end(start.id);
    if (this.#kept.size >= sessionsMax) this.#makeRoom();
    const shared = this.#share(start);
    this.#counts[shared.kind] += 1;
    this.#kept.set(start.id, { shared, login: start.login, startedS, seenS: monoS(now), sent });
  }

  /** Notes a request of a session; false when none of this id is active. */
  touch(id: string, now: Now): boolean {
    this.#latest = now;
    const kept = this.#active(id, now);
    if (kept === undefined) return false;
    if (kept.seenS !== monoS(now)) {
      kept.seenS = monoS(now);
      this.#kept.delete(id);
      this.#kept.set(id, kept);
    }
    return true;
  }

  /** Whether the session was seen here within the last 3 minutes; with `stream` given: on that stream. */
  isActive(id: string, now: Now, stream?: string): boolean {
    const shared = this.#active(id, now)?.shared;
    return shared !== undefined && (stream === undefined || stream === shared.stream);
  }

  /** Notes what was sent to a session that is known; to the nearest 256 bytes. */
  addBytes(id: string, bytes: number): void {
    const kept = this.#kept.get(id);
    if (kept !== undefined) kept.sent += Math.round(bytes / bytesUnit);
  }

  get(id: string): Session | undefined {
    const kept = this.#kept.get(id);
    return kept && this.#view(id, kept);
  }

  /** Forgets a session; false when there was none. A viewer that goes on with a good pass starts it again. */
  end(id: string): boolean {
    const kept = this.#kept.get(id);
    if (kept === undefined) return false;
    this.#kept.delete(id);
    this.#counts[kept.shared.kind] -= 1;
    kept.shared.users -= 1;
    if (kept.shared.users === 0) this.#shared.delete(kept.shared.key);
    return true;
  }

  /** How many sessions are active. */
  counts(): { readonly own: number; readonly backup: number } {
    return this.#counts;
  }

  /** One page of the sessions that match, longest idle first, at most 1,000; `total` counts all that match. */
  list(page: { offset: number; limit: number; filter?: SessionFilter }): {
    readonly total: number;
    readonly sessions: readonly Session[];
  } {
    const end = page.offset + Math.min(page.limit, listMax);
    const sessions: Session[] = [];
    let total = 0;
    for (const [id, kept] of this.#kept) {
      if (!matches(kept.shared, page.filter)) continue;
      if (total >= page.offset && total < end) sessions.push(this.#view(id, kept));
      total += 1;
    }
    return { total, sessions };
  }

  /** Forgets sessions that are no longer active; costs only what it forgets. */
  expire(now: Now): void {
    this.#latest = now;
    for (const [id, kept] of this.#kept) {
      if (isActiveAt(kept, now)) return;
      this.end(id);
    }
  }

  /**
   * Who watches now, alike ones together. Sessions are active for longer than that: viewers who left for another node
   * are not in it. Looks at every session: for every few seconds.
   */
  survey(now: Now): readonly Watching[] {
    for (const shared of this.#shared.values()) shared.watching = 0;
    const since = monoS(now) - watchingS;
    for (const { shared, seenS } of this.#kept.values()) if (seenS >= since) shared.watching += 1;
    return [...this.#shared.values()].flatMap(({ stream, kind, home, backups, watching }) =>
      watching === 0 ? [] : [{ stream, kind, home, backups, sessions: watching }],
    );
  }

  #active(id: string, now: Now): Kept | undefined {
    const kept = this.#kept.get(id);
    return kept !== undefined && isActiveAt(kept, now) ? kept : undefined;
  }

  #makeRoom(): void {
    let left = roomMade;
    for (const id of this.#kept.keys()) {
      this.end(id);
      left -= 1;
      if (left === 0) return;
    }
  }

  #share({ stream, kind, home, family, backups }: SessionStart): Shared {
    const key = JSON.stringify([stream, kind, home, family, backups]);
    let shared = this.#shared.get(key);
    if (shared === undefined) {
      shared = { stream, kind, home, family, backups, key, users: 0, watching: 0 };
      this.#shared.set(key, shared);
    }
    shared.users += 1;
    return shared;
  }

  #view(id: string, { shared, login, startedS, seenS, sent }: Kept): Session {
    const { stream, kind, home, family, backups } = shared;
    const { wallMs, monoMs } = this.#latest;
    const lastSeenAt = wallMs - Math.max(0, monoMs - seenS * 1000);
    const startedAt = startedS * 1000;
    return {
      ...{ id, stream, kind, home, login, family, backups, startedAt, lastSeenAt },
      bytes: sent * bytesUnit,
    };
  }
}

function monoS({ monoMs }: Now): number {
  return Math.floor(monoMs / 1000);
}

function isActiveAt({ seenS }: Kept, now: Now): boolean {
  return monoS(now) - seenS <= activeS;
}

function matches(shared: Shared, { stream, kind, home }: SessionFilter = {}): boolean {
  return (
    (stream === undefined || stream === shared.stream) &&
    (kind === undefined || kind === shared.kind) &&
    (home === undefined || home === shared.home)
  );
}
