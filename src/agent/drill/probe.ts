import {
  afterFault,
  afterStandstill,
  type Next,
  opened,
  type Position,
  succeeded,
  uriOf,
} from '../../core/drill/moves.ts';
import { readPlaces } from '../../core/drill/places.ts';
import {
  type DueSegment,
  dueSegments,
  isEmpty,
  nothingPlayed,
  type Playback,
  played,
} from '../../core/drill/playback.ts';
import { type ProbeFault, reopenMs } from '../../core/drill/player-rules.ts';
import type { ProbeResult } from '../../core/drill/report.ts';
import { playlistLimits } from '../../core/playlist/classify.ts';
import { readMediaPlaylist } from '../../core/playlist/media-playlist.ts';
import type { MonoMs } from '../../core/time.ts';
import type { Clock, OpenProbeConnection, ProbeAnswer, ProbeConnection, Timers } from '../ports.ts';
import { ProbeRecord, type ProbeStart } from './probe-record.ts';
import { createSleeper, type Sleeper } from './sleeper.ts';

/** Largest segment that is read, bytes. */
const segmentBytesMax = 32 * 1024 * 1024;
/** Redirects of an entry that are followed. */
const redirectsMax = 3;
/** A playlist is never asked for more often, ms. */
const reloadMsMin = 250;
/** A target duration until the first playlist tells it. */
const guessedTargetMs = 2_000;
/** A playlist that has not changed for longer, in target durations, is one that stands still. */
const standstillTargets = 1.5;

/** Bytes that all players of a drill may still read. */
type Budget = { left: number };

type Deps = {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly openConnection: OpenProbeConnection;
  readonly budget: Budget;
  /** The node that is at a URL; undefined for any other address: it is not asked. */
  readonly nodeAt: (url: string) => string | undefined;
};

/**
 * One modelled player: opens the stream, reloads its playlist and reads its segments as its family does, and notes what
 * comes of a failure. It asks nobody but the nodes of the group.
 */
export class Probe {
  readonly #deps: Deps;
  readonly #start: ProbeStart;
  readonly #connection: ProbeConnection;
  readonly #sleeper: Sleeper;
  readonly #record: ProbeRecord;
  #state: ProbeResult['state'] = 'opening';
  #position: Position | undefined;
  #playback: Playback = nothingPlayed;
  #targetMs = guessedTargetMs;
  #changedAt: MonoMs = Number.NEGATIVE_INFINITY;
  #onStarted = () => {};
  /** Resolves when it plays, or never will. */
  readonly started = new Promise<void>((resolve) => {
    this.#onStarted = resolve;
  });

  constructor(deps: Deps, start: ProbeStart) {
    this.#deps = deps;
    this.#start = start;
    this.#connection = deps.openConnection();
    this.#sleeper = createSleeper(deps.timers);
    this.#record = new ProbeRecord(start);
  }

  /** Watches until it has given up or is stopped. Never rejects. */
  async run(): Promise<void> {
    let next = await this.#enter();
    while (next.kind !== 'fatal' && !this.#sleeper.isAwake()) {
      if (next.inMs > 0) await this.#sleeper.sleep(next.inMs);
      if (this.#sleeper.isAwake()) break;
      next = next.kind === 'load' ? await this.#load() : await this.#enter();
    }
    if (next.kind === 'fatal' && !this.#sleeper.isAwake())
      this.#state = this.#state === 'opening' ? 'unopened' : 'ended';
    this.#onStarted();
    this.#connection.close();
  }

  /** From now on what it meets counts. */
  failureBegan(at: MonoMs): void {
    this.#record.failureBegan(this.#playback, at);
  }

  stop(): void {
    this.#sleeper.wake();
    this.#connection.close();
  }

  get isPlaying(): boolean {
    return this.#state === 'playing';
  }

  /** Of the stream, ms; guessed until the first playlist. */
  get targetMs(): number {
    return this.#targetMs;
  }

  result(now: MonoMs): ProbeResult {
    const rungs = this.#position?.places[0]?.rungs.length ?? 1;
    const present = { state: this.#state, playback: this.#playback, targetMs: this.#targetMs };
    return this.#record.result({ ...present, rungs }, now);
  }

  /** Opens the stream, again where it has been open: that is tried until it works. */
  async #enter(): Promise<Next> {
    if (await this.#open()) return { kind: 'load', inMs: 0 };
    return this.#state === 'opening' ? { kind: 'fatal' } : { kind: 'reopen', inMs: reopenMs };
  }

  /** Follows redirects. Whether there was a playlist in the end. */
  async #open(): Promise<boolean> {
    let url = this.#start.entry;
    for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
      const answer = await this.#get(url, playlistLimits.bodyBytesMax);
      if (answer.kind === 'fault') return this.#notOpen(answer.fault);
      const { status, location = '', bytes } = answer;
      if (status === 302 && URL.canParse(location, url)) {
        url = new URL(location, url).href;
        continue;
      }
      const found = status === 200 ? readPlaces(bytes, url) : undefined;
      if (found === undefined || found.places.length === 0)
        return this.#notOpen(`status ${status}`);
      this.#position = opened(found.places, found.lowestRung);
      return true;
    }
    return this.#notOpen('redirected too often');
  }

  #notOpen(cause: string): boolean {
    if (this.#state === 'opening') this.#record.note ??= `could not open: ${cause}`;
    return false;
  }

  /** One reload with the segments that are new in it. */
  async #load(): Promise<Next> {
    const position = this.#position;
    const uri = position && uriOf(position);
    if (position === undefined || uri === undefined) return { kind: 'fatal' };
    const askedAt = this.#monoMs();
    const answer = await this.#get(uri, playlistLimits.bodyBytesMax);
    const playlist =
      answer.kind === 'answer' && answer.status === 200
        ? readMediaPlaylist(answer.bytes)
        : undefined;
    if (playlist === undefined) return this.#failed(position, faultOf(answer));
    this.#targetMs = playlist.targetDurationMs;
    const due = dueSegments(playlist, this.#playback.last);
    if (due.length === 0) return this.#unchanged(position, askedAt);
    for (const segment of due) {
      const fault = await this.#loadSegment(segment, uri);
      if (fault !== undefined) return this.#failed(position, fault);
    }
    this.#changedAt = this.#monoMs();
    this.#position = succeeded(position);
    this.#record.served(this.#deps.nodeAt(uri), this.#changedAt);
    return this.#reloadIn(this.#targetMs, askedAt);
  }

  async #loadSegment(segment: DueSegment, playlist: string): Promise<ProbeFault | undefined> {
    if (!URL.canParse(segment.uri, playlist)) return 'status';
    const url = new URL(segment.uri, playlist);
    // So that the node knows whose it is: players send none.
    const pass = new URL(playlist).searchParams.get('pass');
    if (pass !== null && this.#deps.nodeAt(url.href) === this.#start.home)
      url.searchParams.set('pass', pass);
    const answer = await this.#get(url.href, segmentBytesMax);
    if (answer.kind === 'fault' || answer.status !== 200) return faultOf(answer);
    this.#playback = played(this.#playback, segment, this.#monoMs());
    if (this.#state === 'opening') {
      this.#state = 'playing';
      this.#onStarted();
    }
    return undefined;
  }

  #unchanged(position: Position, askedAt: MonoMs): Next {
    const now = this.#monoMs();
    const unchangedMs = now - this.#changedAt;
    const targetMs = this.#targetMs;
    if (unchangedMs > standstillTargets * targetMs) this.#record.met(now);
    const moved = afterStandstill(position, this.#start.rules, {
      ...{ now, unchangedMs, targetMs, isEmpty: isEmpty(this.#playback, now) },
    });
    if (moved === undefined) return this.#reloadIn(targetMs / 2, askedAt);
    this.#position = moved.position;
    this.#changedAt = now;
    return moved.next;
  }

  #failed(position: Position, fault: ProbeFault): Next {
    // What was broken off is no failure of the node.
    if (this.#sleeper.isAwake()) return { kind: 'fatal' };
    const now = this.#monoMs();
    this.#record.met(now);
    const facts = { now, isEmpty: isEmpty(this.#playback, now) };
    const moved = afterFault(position, this.#start.rules, fault, facts);
    this.#position = moved.position;
    return moved.next;
  }

  #reloadIn(ms: number, askedAt: MonoMs): Next {
    return { kind: 'load', inMs: Math.max(reloadMsMin, askedAt + ms - this.#monoMs()) };
  }

  async #get(url: string, bytesMax: number): Promise<ProbeAnswer> {
    const { budget, nodeAt } = this.#deps;
    const node = nodeAt(url);
    if (node === undefined) {
      this.#record.note = 'was told an address that no node of the group announces';
      return { kind: 'fault', fault: 'cut' };
    }
    if (budget.left <= 0) {
      this.#record.note = 'the drill has read as much as it may';
      this.stop();
      return { kind: 'fault', fault: 'cut' };
    }
    this.#record.asks(node, this.#monoMs());
    const { userAgent, answerMsMax } = this.#start.rules;
    const answer = await this.#connection.get(url, {
      ...{ userAgent, deadlineMs: answerMsMax, bytesMax: Math.min(bytesMax, budget.left) },
    });
    const length = answer.kind === 'answer' ? answer.bytes.length : 0;
    budget.left -= length;
    this.#record.bytes += length;
    return answer;
  }

  #monoMs(): MonoMs {
    return this.#deps.clock.now().monoMs;
  }
}

function faultOf(answer: ProbeAnswer): ProbeFault {
  return answer.kind === 'fault' && answer.fault !== 'too-large' ? answer.fault : 'status';
}
