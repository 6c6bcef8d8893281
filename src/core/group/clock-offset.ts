import type { ReasonCode } from '../reasons.ts';
import type { MonoMs, Now, UnixMs } from '../time.ts';
import type { ClockSample } from './node.ts';

/** Two nodes whose clocks differ by more than this cannot cover for each other; exactly this much is fine. */
const skewLimitMs = 240_000;

/** Readings kept per peer. */
const readingsMax = 8;

/** Older readings say nothing any more. */
const readingAgeMsMax = 60_000;

/** Two readings that contradict each other by more than this say that a clock was stepped between them. */
const contradictionMs = 100;

/**
 * One reading of a peer's wall clock against our monotonic clock. Our own wall clock does not enter before the offset is
 * asked for: however it is stepped, during an exchange or after it, the offset is right at once.
 */
export type ClockReading = {
  /** Peer's wall clock minus our monotonic clock, ms. */
  readonly remoteMs: number;
  readonly roundTripMs: number;
  readonly takenAt: MonoMs;
};

/** Readings with the one of an exchange added, at most 8; those that the new one contradicts are dropped. */
export function addReading(
  readings: readonly ClockReading[],
  exchange: {
    /** Peer's wall clock somewhere between question and answer. */
    readonly at: UnixMs;
    readonly sentAt: MonoMs;
    readonly receivedAt: MonoMs;
  },
): readonly ClockReading[] {
  const roundTripMs = exchange.receivedAt - exchange.sentAt;
  const reading = {
    remoteMs: exchange.at - (exchange.sentAt + roundTripMs / 2),
    roundTripMs,
    takenAt: exchange.receivedAt,
  };
  const agreeing = readings.filter(
    (earlier) =>
      Math.abs(earlier.remoteMs - reading.remoteMs) <=
      (earlier.roundTripMs + roundTripMs) / 2 + contradictionMs,
  );
  return [...agreeing, reading].slice(-readingsMax);
}

/** The clock of a peer by its reading with the shortest round trip; absent when none is younger than 60 s. */
export function clockSample(readings: readonly ClockReading[], now: Now): ClockSample | undefined {
  const best = readings
    .filter(({ takenAt }) => now.monoMs - takenAt <= readingAgeMsMax)
    .reduce<ClockReading | undefined>(
      (least, reading) => (least && least.roundTripMs <= reading.roundTripMs ? least : reading),
      undefined,
    );
  if (best === undefined) return undefined;
  return {
    offsetMs: Math.round(best.remoteMs - (now.wallMs - now.monoMs)),
    roundTripMs: Math.round(best.roundTripMs),
  };
}

/** Why a peer's clock keeps it from being used; absent when it is within 240 s of ours. */
export function skewVerdict(
  clock: ClockSample | undefined,
): Extract<ReasonCode, 'clock-skew' | 'clock-unknown'> | undefined {
  if (clock === undefined) return 'clock-unknown';
  return Math.abs(clock.offsetMs) > skewLimitMs ? 'clock-skew' : undefined;
}

/**
 * Ids of the nodes, `self` possibly among them, whose clock is more than 240 s from the median of all. Named only when
 * most of the others agree: with two nodes, or with clocks all over the place, nobody can tell, and the list is empty.
 */
export function whoIsWrong(self: string, offsets: ReadonlyMap<string, number>): readonly string[] {
  const clocks = [...offsets, [self, 0] as const];
  const sorted = clocks.map(([, offsetMs]) => offsetMs).sort((a, b) => a - b);
  const isFar = (offsetMs: number, at: number) =>
    Math.abs(offsetMs - (sorted[at] ?? 0)) > skewLimitMs;
  const last = sorted.length - 1;
  const wrong = clocks.filter(
    ([, offsetMs]) => isFar(offsetMs, Math.floor(last / 2)) && isFar(offsetMs, Math.ceil(last / 2)),
  );
  return wrong.length * 2 < clocks.length ? wrong.map(([id]) => id) : [];
}
