import { type Assigned, assignedOf } from '../core/load/assigned.ts';
import type { MonoMs, Now } from '../core/time.ts';
import type { Viewer } from '../core/viewer/viewer.ts';
import type { Sessions, Watching } from './sessions.ts';

/** Time between two looks at all sessions, ms. */
const surveyEveryMs = 5_000;

/** A public viewer seen this recently says that viewers are not all inside, ms. */
const publicSeenMs = 24 * 3_600_000;

const nobody: readonly Assigned[] = [];

/** Who watches here and where these viewers would go, as of the last look at all sessions. */
export class Audience {
  readonly #deps: { readonly nodeId: string; readonly sessions: Pick<Sessions, 'survey'> };
  #surveyedAt: MonoMs = Number.NEGATIVE_INFINITY;
  #watching: readonly Watching[] = [];
  #count = 0;
  #assigned = nobody;
  #publicSeenAt: MonoMs = Number.NEGATIVE_INFINITY;

  constructor(deps: { nodeId: string; sessions: Pick<Sessions, 'survey'> }) {
    this.#deps = deps;
  }

  /** Looks when it is time; due each second. */
  tick(now: Now): void {
    if (now.monoMs - this.#surveyedAt < surveyEveryMs) return;
    this.#surveyedAt = now.monoMs;
    this.#watching = this.#deps.sessions.survey(now);
    this.#count = this.#watching.reduce((sum, { sessions }) => sum + sessions, 0);
    const assigned = assignedOf(this.#deps.nodeId, this.#watching);
    if (JSON.stringify(assigned) !== JSON.stringify(this.#assigned)) this.#assigned = assigned;
  }

  /** Notes a viewer who opens a stream. */
  noteViewer({ isPublic }: Viewer, now: Now): void {
    if (isPublic) this.#publicSeenAt = now.monoMs;
  }

  /** Whether a viewer with a public address opened a stream here within a day. */
  hasPublicViewers(now: Now): boolean {
    return now.monoMs - this.#publicSeenAt <= publicSeenMs;
  }

  /** Viewers who watch now, alike ones together. */
  watching(): readonly Watching[] {
    return this.#watching;
  }

  /** How many watch now. */
  count(): number {
    return this.#count;
  }

  /** For the other nodes: the same array as long as it says the same. */
  assigned(): readonly Assigned[] {
    return this.#assigned;
  }
}
