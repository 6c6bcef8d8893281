import type { ReasonCode } from '../core/reasons.ts';
import { countRepeat, noRepeats } from '../core/repeats.ts';
import type { MonoMs, Now } from '../core/time.ts';
import {
  type AuthAnswer,
  type AuthQuestion,
  tokenLengthMax,
  type ViewerAuthority,
} from './auth-ports.ts';
import type { Log } from './ports.ts';

/** Answers that are remembered; the oldest makes room. */
const answersMax = 10_000;

/** Questions under way at once; for further viewers it cannot be found out. */
const questionsMax = 256;

/** A refusal is remembered for so long at most, ms: whoever has just paid should not wait. */
const deniedMsMax = 10_000;

type Granted = Extract<AuthAnswer, { kind: 'granted' }>;
type Settled = Exclude<AuthAnswer, { kind: 'unavailable' }>;

/** Whether a viewer may begin to watch, and as whom. */
export type AuthVerdict =
  | Pick<Granted, 'kind' | 'login' | 'sessionsMax'>
  | { readonly kind: 'refused'; readonly reason: ReasonCode };

/**
 * Asks whether a viewer may watch, once where a session begins: many who ask the same wait for one answer, and an answer
 * holds for a while. When none can be had, viewers are let in or not, as the operator chose.
 */
export class ViewerAuth {
  readonly #deps: ViewerAuthDeps;
  /** By fingerprint of the question: no token is kept. */
  readonly #answers = new Map<string, { readonly answer: Settled; readonly until: MonoMs }>();
  readonly #underWay = new Map<string, Promise<AuthAnswer>>();
  #failures = noRepeats;

  constructor(deps: ViewerAuthDeps) {
    this.#deps = deps;
  }

  async check(
    question: Omit<AuthQuestion, 'token'> & { token?: string | undefined },
    now: Now,
  ): Promise<AuthVerdict> {
    const { token } = question;
    if (token === undefined || token === '') return { kind: 'refused', reason: 'auth-missing' };
    if (token.length > tokenLengthMax) return { kind: 'refused', reason: 'auth-denied' };
    const key = this.#deps.fingerprint(JSON.stringify([token, question.address, question.stream]));
    const known = this.#answers.get(key);
    const answer =
      known !== undefined && now.monoMs < known.until
        ? known.answer
        : await (this.#underWay.get(key) ?? this.#ask(key, { ...question, token }, now));
    return this.#verdict(answer, now);
  }

  async #ask(key: string, question: AuthQuestion, now: Now): Promise<AuthAnswer> {
    if (this.#underWay.size >= questionsMax)
      return { kind: 'unavailable', cause: 'too many questions under way' };
    const asked = this.#deps.authority.ask(question, now);
    this.#underWay.set(key, asked);
    try {
      const answer = await asked;
      if (answer.kind !== 'unavailable') this.#remember(key, answer, now.monoMs);
      return answer;
    } finally {
      this.#underWay.delete(key);
    }
  }

  #remember(key: string, answer: Settled, now: MonoMs): void {
    const cacheMs = this.#deps.cacheS * 1000;
    const ms =
      answer.kind === 'denied'
        ? Math.min(cacheMs, deniedMsMax)
        : Math.min(cacheMs, (answer.validS ?? Number.POSITIVE_INFINITY) * 1000);
    this.#answers.delete(key);
    if (ms <= 0) return;
    this.#answers.set(key, { answer, until: now + ms });
    if (this.#answers.size <= answersMax) return;
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined) this.#answers.delete(oldest);
  }

  #verdict(answer: AuthAnswer, now: Now): AuthVerdict {
    switch (answer.kind) {
      case 'granted':
        return answer;
      case 'denied':
        return { kind: 'refused', reason: 'auth-denied' };
      case 'unavailable':
        this.#noteFailure(answer.cause, now);
        return this.#deps.failsOpen
          ? { kind: 'granted' }
          : { kind: 'refused', reason: 'auth-unavailable' };
    }
  }

  #noteFailure(cause: string, now: Now): void {
    const { repeats, tell } = countRepeat(this.#failures, now.monoMs);
    this.#failures = repeats;
    if (tell) this.#deps.log.error('viewer authentication fails', { cause, count: tell });
  }
}

export type ViewerAuthDeps = {
  readonly authority: ViewerAuthority;
  /** How long an answer holds at most, seconds; 0: it is asked each time. */
  readonly cacheS: number;
  /** Whether viewers are let in while no answer can be had. */
  readonly failsOpen: boolean;
  /** So that answers are found again without their tokens being kept. */
  readonly fingerprint: (text: string) => string;
  readonly log: Log;
};
