import type { Now } from '../../core/time.ts';
import type { Drain } from '../drain.ts';
import type { LiveStreams } from '../live-streams.ts';
import type { LoginSlots } from '../login-slots.ts';
import type { SessionNotes } from '../session-notes.ts';
import type { Sessions } from '../sessions.ts';
import type { GoodArrival, ViewerRequest } from '../viewing-parts.ts';
import type { Repeat, Report, Word } from '../worker-ports.ts';

/** Playlists and segments that workers may hold; further ones are passed on each time. */
const openMax = 8_192;
/** Longest name of one, characters; what is called longer is passed on each time. */
const whatLengthMax = 512;
/** Segments are looked at each so many ticks, and whenever a playlist of their stream has changed. */
const segmentTicks = 20;

type Tell = (word: Word) => void;

/** What is out, and whether it is still what it was. */
type Open = { readonly isPlaylist: boolean; readonly holds: (now: Now) => boolean };

type Deps = {
  readonly live: Pick<LiveStreams, 'media' | 'facts' | 'kept' | 'watch'>;
  readonly sessions: Pick<Sessions, 'isActive' | 'touch' | 'get' | 'addBytes'>;
  readonly notes: Pick<SessionNotes, 'isEnded'>;
  readonly slots: Pick<LoginSlots, 'hasLetGo' | 'take' | 'nameOf'>;
  readonly drain: Pick<Drain, 'isToLeave' | 'move'>;
  /** Whether a drill may make viewers of the stream meet a failure. */
  readonly staging: { isOnFor(stream: string, now: Now): boolean };
  /** Hosts that are another node's, which this one may stand in for; the same object as long as nothing changed. */
  readonly peerHosts: (now: Now) => ReadonlyMap<string, unknown>;
};

/**
 * What workers may answer by themselves, each with what it rests on, and what is over of it: see `docs/adr/0023-workers-repeat.md`.
 * `tick` is due every 50 ms.
 */
export class Repeats {
  readonly #deps: Deps;
  /** Which playlists and segments are out, by stream. */
  readonly #open = new Map<string, Map<string, Open>>();
  #openCount = 0;
  #ticks = 0;
  #peerHosts: ReadonlyMap<string, unknown> = new Map();
  #seq = 0;
  #over = { all: false, what: [] as string[], who: [] as string[] };
  #tell: Tell = () => undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** From now on workers are told. */
  onWord(tell: Tell): void {
    this.#tell = tell;
  }

  /** Number of the last word. */
  get seq(): number {
    return this.#seq;
  }

  /** Calls over a session, by its id or by `LoginSlots.nameOf` it. */
  endSession(name: string): void {
    this.#over.who.push(name);
  }

  /** Calls over everything. */
  endAll(): void {
    this.#open.clear();
    this.#openCount = 0;
    this.#over.all = true;
  }

  /** An answer that is for once, and whose it is. */
  once(who: string): Repeat {
    return { seq: this.#seq, who };
  }

  /**
   * A media playlist that was served to session `id`. It may be repeated while this node has it on air, to viewers whose pass was
   * verified. Without `rest` it is for once.
   */
  playlist(
    { host, viewer, now }: ViewerRequest,
    { login, nodes }: GoodArrival,
    of: { id: string; name: string; rest: string | undefined; snapshot: object },
  ): Repeat {
    const { live, drain, staging, slots } = this.#deps;
    const { id, name, rest, snapshot } = of;
    if (rest === undefined || nodes.length === 0 || drain.isToLeave(id, now)) return this.once(id);
    const holds = (at: Now) =>
      live.media(name, rest) === snapshot &&
      live.facts(name)?.hls?.air.onAir === true &&
      !staging.isOnFor(name, at);
    const what = this.#openUp(host, { name, rest, isPlaylist: true, holds }, now);
    if (what === undefined) return this.once(id);
    return {
      ...{ seq: this.#seq, what, who: id, stream: name },
      ...(login !== undefined && { alias: slots.nameOf(id), viewerKey: viewer.key }),
    };
  }

  /** A segment that was served whole from memory. */
  segment(
    { host, now }: ViewerRequest,
    { name, rest }: { name: string; rest: string },
  ): Repeat | undefined {
    const { live, staging } = this.#deps;
    const kept = live.kept(name, rest);
    if (kept === undefined) return undefined;
    const holds = (at: Now) => live.kept(name, rest) === kept && !staging.isOnFor(name, at);
    const what = this.#openUp(host, { name, rest, isPlaylist: false, holds }, now);
    return what === undefined ? undefined : { seq: this.#seq, what };
  }

  /** Tells workers what is over, or that nothing is. */
  tick(now: Now): void {
    this.#lookAtHosts(now);
    this.#ticks = (this.#ticks + 1) % segmentTicks;
    const isDue = this.#ticks === 0 ? () => true : ({ isPlaylist }: Open) => isPlaylist;
    for (const [stream, open] of this.#open)
      for (const one of open.values())
        if (isDue(one) && !one.holds(now)) {
          this.#look(stream, now);
          break;
        }
    this.#say(now);
  }

  /** Takes over what a worker has answered by itself. */
  take({ seen, sent }: Report, now: Now): void {
    const { sessions, notes, slots, live } = this.#deps;
    for (const [who, stream, viewerKey] of seen) {
      const isKnown = sessions.isActive(who, now, stream) && !notes.isEnded(who);
      if (!isKnown || (viewerKey !== undefined && slots.hasLetGo(who))) {
        this.endSession(who);
        continue;
      }
      sessions.touch(who, now);
      live.watch(stream, now);
      const login = viewerKey === undefined ? undefined : sessions.get(who)?.login;
      if (viewerKey !== undefined && login !== undefined)
        slots.take({ session: who, login, viewerKey }, now);
    }
    for (const [who, bytes] of sent) sessions.addBytes(who, bytes);
  }

  /** Notes what a worker may hold from now on; undefined where it may not. */
  #openUp(
    host: string,
    { name, rest, ...one }: Open & { readonly name: string; readonly rest: string },
    now: Now,
  ): string | undefined {
    const what = `${name}/${rest}`;
    this.#lookAtHosts(now);
    if (what.length > whatLengthMax || this.#peerHosts.has(host) || !one.holds(now))
      return undefined;
    const open = this.#open.get(name) ?? new Map<string, Open>();
    const isStill = open.get(what)?.holds(now);
    // What has changed may have brought new files under old names.
    if (isStill === false) this.#look(name, now);
    if (isStill !== true) {
      if (this.#openCount >= openMax) return undefined;
      this.#openCount += 1;
      this.#open.set(name, open.set(what, one));
    }
    if (this.#isAnythingOver()) this.#say(now);
    return what;
  }

  /** What was this node's own host, and is a peer's now, is answered in another way. */
  #lookAtHosts(now: Now): void {
    const before = this.#peerHosts;
    this.#peerHosts = this.#deps.peerHosts(now);
    if (this.#peerHosts === before) return;
    for (const host of this.#peerHosts.keys())
      if (!before.has(host)) {
        this.endAll();
        return;
      }
  }

  /** Calls over what has changed of a stream. */
  #look(stream: string, now: Now): void {
    const open = this.#open.get(stream);
    for (const [what, { holds }] of open ?? []) {
      if (holds(now)) continue;
      open?.delete(what);
      this.#openCount -= 1;
      this.#over.what.push(what);
    }
    if (open?.size === 0) this.#open.delete(stream);
  }

  #isAnythingOver(): boolean {
    const { all, what, who } = this.#over;
    return all || what.length > 0 || who.length > 0;
  }

  #say(now: Now): void {
    if (this.#isAnythingOver()) this.#seq += 1;
    const move = this.#deps.drain.move();
    this.#tell({
      seq: this.#seq,
      over: this.#over,
      move: move && { ageMs: now.monoMs - move.startedAt, overMs: move.overMs },
    });
    this.#over = { all: false, what: [], who: [] };
  }
}
