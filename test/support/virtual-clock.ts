import type { Clock, Timers } from '../../src/agent/ports.ts';
import type { MonoMs, UnixMs } from '../../src/core/time.ts';

/**
 * One node's clock in virtual time: nothing moves unless a test moves it. `set*` and `stepWall` touch this
 * node's wall clock only; `advance` and `run` move monotonic and wall time of all siblings together.
 */
export type VirtualClock = Clock &
  Timers & {
    /** Moves time on and calls what falls due, in order, without waiting for promises. */
    advance(ms: number): void;
    /** As `advance`, but lets promises settle after each timer and waits for what is held. */
    run(ms: number): Promise<void>;
    /** Moves time on without calling what falls due until the next `advance`: a paused process. */
    pause(ms: number): void;
    /** The wall clock jumps by `ms`, signed; the monotonic clock does not. */
    stepWall(ms: number): void;
    setWall(wallMs: UnixMs): void;
    /** `run` goes no further until `work` has settled: for promises that need real time (crypto, files). */
    hold(work: Promise<unknown>): void;
    /** Clock of another node in the same virtual time, its wall clock `wallOffsetMs` ahead of this one. */
    sibling(options?: { readonly wallOffsetMs?: number }): VirtualClock;
  };

/** Thursday, some time in 2026: a wall clock that no test should depend on. */
const someWallMs = 1_790_000_000_000;

type Timer = { readonly dueAt: MonoMs; readonly run: () => void };

/** A clock that starts at `wallMs` and `monoMs`. */
export function createVirtualClock(
  start: { readonly wallMs?: UnixMs; readonly monoMs?: MonoMs } = {},
): VirtualClock {
  const { wallMs = someWallMs, monoMs = 10_000 } = start;
  return clockIn(createTime(monoMs), wallMs - monoMs);
}

type Time = ReturnType<typeof createTime>;

function clockIn(time: Time, startBaseMs: number): VirtualClock {
  let baseMs = startBaseMs;
  return {
    now: () => ({ wallMs: baseMs + time.monoMs(), monoMs: time.monoMs() }),
    after: time.after,
    advance: time.advance,
    run: time.run,
    pause: time.pause,
    hold: time.hold,
    stepWall: (ms) => {
      baseMs += ms;
    },
    setWall: (wallMs) => {
      baseMs = wallMs - time.monoMs();
    },
    sibling: ({ wallOffsetMs = 0 } = {}) => clockIn(time, baseMs + wallOffsetMs),
  };
}

function createTime(startMonoMs: MonoMs) {
  let monoMs = startMonoMs;
  const timers: Timer[] = [];
  const held = new Set<Promise<unknown>>();

  /** Takes the next timer due by `untilMs` and moves time to it. */
  function nextDue(untilMs: MonoMs): Timer | undefined {
    const timer = timers[0];
    if (timer === undefined || timer.dueAt > untilMs) return undefined;
    timers.shift();
    monoMs = Math.max(monoMs, timer.dueAt);
    return timer;
  }

  async function settle(): Promise<void> {
    do {
      await Promise.allSettled(held);
      await new Promise((resolve) => setImmediate(resolve));
    } while (held.size > 0);
  }

  return {
    monoMs: () => monoMs,
    after(delayMs: number, run: () => void) {
      const timer = { dueAt: monoMs + Math.max(0, delayMs), run };
      timers.splice(placeFor(timers, timer.dueAt), 0, timer);
      return () => {
        const at = timers.indexOf(timer);
        if (at >= 0) timers.splice(at, 1);
      };
    },
    advance(ms: number) {
      const untilMs = monoMs + ms;
      for (let timer = nextDue(untilMs); timer; timer = nextDue(untilMs)) timer.run();
      monoMs = Math.max(monoMs, untilMs);
    },
    async run(ms: number) {
      const untilMs = monoMs + ms;
      await settle();
      for (let timer = nextDue(untilMs); timer; timer = nextDue(untilMs)) {
        timer.run();
        await settle();
      }
      monoMs = Math.max(monoMs, untilMs);
    },
    pause(ms: number) {
      monoMs += ms;
    },
    hold(work: Promise<unknown>) {
      held.add(work);
      const drop = () => held.delete(work);
      work.then(drop, drop);
    },
  };
}

/** Index behind all timers due at `dueAt` or before: equal times run in the order they were set. */
function placeFor(timers: readonly Timer[], dueAt: MonoMs): number {
  let low = 0;
  let high = timers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((timers[middle]?.dueAt ?? 0) <= dueAt) low = middle + 1;
    else high = middle;
  }
  return low;
}
