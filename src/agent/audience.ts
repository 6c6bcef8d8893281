import { type Assigned, assignedOf } from '../core/load/assigned.ts';
import type { MonoMs, Now } from '../core/time.ts';
import type { Sessions, Watching } from './sessions.ts';

/** Time between two looks at all sessions, ms. */
const surveyEveryMs = 5_000;

const nobody: readonly Assigned[] = [];

/** Who watches here and where these viewers would go, as of the last look at all sessions. */
export class Audience {
  readonly #deps: { readonly nodeId: string; readonly sessions: Pick<Sessions, 'survey'> };
  #surveyedAt: MonoMs = Number.NEGATIVE_INFINITY;
  #watching: readonly Watching[] = [];
  #assigned = nobody;

  constructor(deps: { nodeId: string; sessions: Pick<Sessions, 'survey'> }) {
    this.#deps = deps;
  }

  /** Looks when it is time; due each second. */
  tick(now: Now): void {
    if (now.monoMs - this.#surveyedAt < surveyEveryMs) return;
    this.#surveyedAt = now.monoMs;
    this.#watching = this.#deps.sessions.survey(now);
    const assigned = assignedOf(this.#deps.nodeId, this.#watching);
    if (JSON.stringify(assigned) !== JSON.stringify(this.#assigned)) this.#assigned = assigned;
  }

  /** Viewers who watch now, alike ones together. */
  watching(): readonly Watching[] {
    return this.#watching;
  }

  /** For the other nodes: the same array as long as it says the same. */
  assigned(): readonly Assigned[] {
    return this.#assigned;
  }
}
