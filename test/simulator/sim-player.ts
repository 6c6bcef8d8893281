import { readPlayer } from '../../src/core/viewer/player-family.ts';
import type { Viewer } from '../../src/core/viewer/viewer.ts';
import { targetS } from './sim-origin.ts';

const targetMs = targetS * 1_000;

/** How the players of one family behave when a reload fails (`docs/players.md`). */
export type FamilyModel = {
  readonly name: 'hls.js' | 'Shaka' | 'VHS' | 'Media3' | 'legacy';
  readonly agent: string;
  /** Media buffered while all is well, ms. */
  readonly bufferMs: number;
  /** Failures of one place before it is given up, and the wait between them, ms; nobody answering counts on its own. */
  readonly tries: { readonly refused: number; readonly gone: number; readonly waitMs: number };
  /** For how long a place that was given up is left alone, ms. */
  readonly penaltyMs: number;
  /** Whether it moves on when nobody answers at all. */
  readonly movesWhenGone: boolean;
};

const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0';
const once = { refused: 1, gone: 1, waitMs: 0 };

export const families: Readonly<Record<FamilyModel['name'], FamilyModel>> = {
  'hls.js': {
    ...{ name: 'hls.js', agent: browser, bufferMs: 15_000, tries: once },
    ...{ penaltyMs: 300_000, movesWhenGone: true },
  },
  Shaka: {
    ...{ name: 'Shaka', agent: browser, bufferMs: 10_000 },
    tries: { refused: 2, gone: 2, waitMs: 1_000 },
    ...{ penaltyMs: 30_000, movesWhenGone: true },
  },
  VHS: {
    ...{ name: 'VHS', agent: browser, bufferMs: 15_000, tries: once },
    ...{ penaltyMs: 60_000, movesWhenGone: true },
  },
  Media3: {
    ...{
      name: 'Media3',
      agent: 'App/1 (Linux;Android 14) AndroidXMedia3/1.10.1',
      bufferMs: 15_000,
    },
    tries: { refused: 1, gone: 4, waitMs: 1_000 },
    ...{ penaltyMs: 300_000, movesWhenGone: false },
  },
  legacy: {
    ...{ name: 'legacy', agent: 'VLC/3.0.20 LibVLC/3.0.20', bufferMs: 10_000 },
    tries: { refused: 3, gone: 3, waitMs: 1_000 },
    ...{ penaltyMs: 0, movesWhenGone: false },
  },
};

/** A media playlist as a player knows it. */
export type Place = { readonly nodeId: string; readonly path: string; readonly query: string };

/** What a player does next. */
type Next = { readonly kind: 'reload' | 'reopen' | 'wait'; readonly inMs: number };

/** How long somebody takes to open the stream again when the picture is gone, ms. */
const reopenMs = 10_000;

/** One viewer with a player. The simulation asks for it and tells it what came of that. */
export class SimPlayer {
  readonly model: FamilyModel;
  readonly homeId: string;
  readonly viewer: Viewer;
  #places: readonly Place[] = [];
  #at = 0;
  #tries = 0;
  readonly #blockedUntil = new Map<number, number>();
  /** Media runs out then; absent before the first picture. */
  #playsUntil: number | undefined;
  lostMs = 0;
  moves = 0;
  refusals = 0;
  #nodeId: string | undefined;

  constructor(model: FamilyModel, homeId: string, address: string) {
    this.model = model;
    this.homeId = homeId;
    const { family, followsBackups } = readPlayer(model.agent);
    const key = `${address}|${family}`;
    this.viewer = { ...{ address, isPublic: true, isHttps: false, family, followsBackups, key } };
  }

  /** Where it watches now; undefined before it has opened, or when it has to open again. */
  get place(): Place | undefined {
    return this.#places[this.#at];
  }

  /** The node that fed it last. */
  get nodeId(): string | undefined {
    return this.#nodeId;
  }

  /** It has the multivariant playlist. A family that does not know redundant copies by URL takes each once. */
  opened(places: readonly Place[]): void {
    this.#places = places;
    this.#at = 0;
    this.#tries = 0;
    this.#blockedUntil.clear();
  }

  /** A reload went well. `segments` in its answer are read at once. */
  played(nodeId: string, nowMs: number): Next {
    this.#account(nowMs);
    if (this.#nodeId !== undefined && this.#nodeId !== nodeId) this.moves += 1;
    this.#nodeId = nodeId;
    this.#tries = 0;
    this.#playsUntil = nowMs + this.model.bufferMs;
    return { kind: 'reload', inMs: targetMs };
  }

  /** Whether the next reload finds more than one new segment: it begins, or has been away. */
  segmentsDue(nowMs: number): number {
    if (this.#playsUntil === undefined) return 2;
    const behindMs = this.model.bufferMs - (this.#playsUntil - nowMs);
    return Math.min(3, Math.max(1, Math.round(behindMs / targetMs)));
  }

  /** A reload failed: refused by 404, or nobody there. */
  failed(how: 'refused' | 'gone', nowMs: number): Next {
    const { tries, penaltyMs, movesWhenGone } = this.model;
    this.#tries += 1;
    if (this.#tries < tries[how]) return { kind: 'reload', inMs: tries.waitMs };
    this.#tries = 0;
    if (how === 'gone' && !movesWhenGone) return this.#reopen();
    this.#blockedUntil.set(this.#at, nowMs + penaltyMs);
    const next = this.#places.findIndex((_, at) => (this.#blockedUntil.get(at) ?? 0) <= nowMs);
    if (next < 0 || penaltyMs === 0) return this.#reopen();
    this.#at = next;
    return { kind: 'reload', inMs: 0 };
  }

  /** Opening failed. */
  notOpened(): Next {
    return { kind: 'reopen', inMs: reopenMs };
  }

  /** The time without a picture up to now, counted at the end of the simulation, too. */
  #account(nowMs: number): void {
    if (this.#playsUntil === undefined) return;
    this.lostMs += Math.max(0, nowMs - this.#playsUntil);
    this.#playsUntil = Math.max(this.#playsUntil, nowMs);
  }

  ended(nowMs: number): void {
    this.#account(nowMs);
  }

  #reopen(): Next {
    this.#places = [];
    return { kind: 'reopen', inMs: reopenMs };
  }
}
