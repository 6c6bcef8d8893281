import type { DrillFailure, DrillFamily } from './failure.ts';

/** Why a request brought nothing: an error status, no answer but a closed connection, no answer in time. */
export type ProbeFault = 'status' | 'cut' | 'silent';

/** What a player does about one kind of fault: so many requests, so long after each other, before it moves or ends. */
type Patience = {
  readonly tries: number;
  readonly waitMs: number;
  readonly does: 'moves' | 'ends' | 'reopens';
};

/** What a player does about a playlist that stands still. */
type AtStandstill =
  | { readonly does: 'stays' }
  | { readonly does: 'moves' | 'ends'; readonly afterTargets: number }
  /** When all that it has was shown. */
  | { readonly does: 'moves' | 'reopens'; readonly afterTargets: 'empty' };

/** How the players of one family behave when something fails (`docs/players.md`). */
export type PlayerRules = {
  readonly family: DrillFamily;
  /** Like what it is sent. */
  readonly userAgent: string;
  /** A request without an answer is given up after so long, ms. */
  readonly answerMsMax: number;
  readonly at: Readonly<Record<ProbeFault, Patience>>;
  readonly atStandstill: AtStandstill;
  /** Tries the other rungs of a node before it leaves that node. */
  readonly triesRungs: boolean;
  /** A place that failed is left alone for so long, ms. */
  readonly penaltyMs: number;
  /** Known from its maker's documents only; where these are silent it is taken to move. */
  readonly isAssumed: boolean;
};

const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const atOnce: Patience = { tries: 1, waitMs: 0, does: 'moves' };
const twice: Patience = { tries: 2, waitMs: 1_000, does: 'moves' };
/** Retries after 0, 1 and 2 s; then it is over, if nothing is left to show. */
const inVain: Patience = { tries: 4, waitMs: 1_000, does: 'ends' };
const again: Patience = { tries: 2, waitMs: 1_000, does: 'reopens' };

/** How long it takes until a stream that broke off is opened anew, by the viewer or the box, ms. */
export const reopenMs = 5_000;

export const playerRules: Readonly<Record<DrillFamily, PlayerRules>> = {
  'hls.js': {
    ...{ family: 'hls.js', userAgent: browser, answerMsMax: 10_000, penaltyMs: 300_000 },
    at: { status: atOnce, cut: atOnce, silent: { tries: 3, waitMs: 0, does: 'moves' } },
    ...{ atStandstill: { does: 'stays' }, triesRungs: true, isAssumed: false },
  },
  shaka: {
    ...{ family: 'shaka', userAgent: browser, answerMsMax: 10_000, penaltyMs: 30_000 },
    at: { status: twice, cut: twice, silent: twice },
    ...{ atStandstill: { does: 'stays' }, triesRungs: false, isAssumed: false },
  },
  vhs: {
    ...{ family: 'vhs', userAgent: browser, answerMsMax: 45_000, penaltyMs: 60_000 },
    at: { status: atOnce, cut: atOnce, silent: atOnce },
    atStandstill: { does: 'moves', afterTargets: 'empty' },
    ...{ triesRungs: false, isAssumed: false },
  },
  media3: {
    ...{ family: 'media3', answerMsMax: 8_000, penaltyMs: 300_000 },
    userAgent: 'Tv/1.0 (Linux;Android 14) AndroidXMedia3/1.11.0',
    at: { status: atOnce, cut: inVain, silent: inVain },
    atStandstill: { does: 'ends', afterTargets: 3.5 },
    ...{ triesRungs: false, isAssumed: false },
  },
  avplayer: {
    ...{ family: 'avplayer', answerMsMax: 10_000, penaltyMs: 60_000 },
    userAgent: 'AppleCoreMedia/1.0.0.21F79 (Apple TV; U; CPU OS 17_5 like Mac OS X; en_us)',
    at: { status: atOnce, cut: atOnce, silent: atOnce },
    atStandstill: { does: 'moves', afterTargets: 1.5 },
    ...{ triesRungs: false, isAssumed: true },
  },
  legacy: {
    ...{ family: 'legacy', answerMsMax: 10_000, penaltyMs: 0 },
    userAgent: 'VLC/3.0.20 LibVLC/3.0.20',
    at: { status: again, cut: again, silent: { tries: 1, waitMs: 0, does: 'reopens' } },
    atStandstill: { does: 'reopens', afterTargets: 'empty' },
    ...{ triesRungs: false, isAssumed: false },
  },
};

const faults = { 'not-found': 'status', cut: 'cut', silent: 'silent' } as const;

/** What a family does about a failure: `moves` to a backup, `reopens` the stream, `ends`, or `stays` where it is. */
export type ExpectedOutcome = 'moves' | 'reopens' | 'ends' | 'stays';

/** Of the stream and the drill, what it takes to know when something is to be expected. */
type Circumstances = {
  /** Of the ladder. */
  readonly rungs: number;
  readonly targetMs: number;
  readonly bufferMs: number;
  /** By how much answers are late, if it is `slow`. */
  readonly slowMs: number;
};

type Expectation = { readonly outcome: ExpectedOutcome; readonly withinMs?: number };

/**
 * What the rules say of a failure, and how long after it began it will have happened, ms: one reload, the patience, and a
 * second for the way. A legacy player that opens again meets the failure there, too, unless it is a 404: then it is sent on.
 */
export function expectationOf(
  rules: PlayerRules,
  failure: DrillFailure,
  facts: Circumstances,
): Expectation {
  switch (failure) {
    case 'frozen':
      return atStandstill(rules, facts);
    case 'slow':
      return facts.slowMs < rules.answerMsMax
        ? { outcome: 'stays' }
        : atFault(rules, 'silent', false, facts);
    default:
      return atFault(rules, faults[failure], failure === 'not-found', facts);
  }
}

function atStandstill({ atStandstill: rule }: PlayerRules, facts: Circumstances): Expectation {
  // Whoever opens anew is given what stands still.
  if (rule.does === 'stays' || rule.does === 'reopens') return { outcome: 'stays' };
  const { afterTargets } = rule;
  const ms = afterTargets === 'empty' ? facts.bufferMs : afterTargets * facts.targetMs;
  return { outcome: rule.does, withinMs: ms + reloadMsOf(facts) };
}

function atFault(
  { at, answerMsMax, triesRungs }: PlayerRules,
  fault: ProbeFault,
  isSentOn: boolean,
  facts: Circumstances,
): Expectation {
  const { tries, waitMs, does } = at[fault];
  const answerMs = fault === 'silent' ? answerMsMax : 0;
  const patienceMs = (triesRungs ? facts.rungs : 1) * (tries * answerMs + (tries - 1) * waitMs);
  // Who can only end does so when all that it has was shown.
  const laterMs = { moves: 0, reopens: reopenMs, ends: facts.bufferMs }[does];
  const withinMs = reloadMsOf(facts) + patienceMs + laterMs;
  return { outcome: does === 'reopens' && !isSentOn ? 'ends' : does, withinMs };
}

function reloadMsOf({ targetMs }: Circumstances): number {
  return targetMs + 1_000;
}
