import { createOpenDvr } from '../../src/adapters/dvr/open-dvr.ts';
import { openScannedFolder } from '../../src/adapters/dvr/scanned-folder.ts';
import { openOrigin } from '../../src/adapters/origin/open-origin.ts';
import { readMeaning } from '../../src/adapters/origin/read-playlist.ts';
import { newId } from '../../src/adapters/system/ids.ts';
import { createArchiveParts } from '../../src/agent/archive/archive-parts.ts';
import type { AskRecordings, CoverageStore, OpenDvr } from '../../src/agent/archive-ports.ts';
import type { Timers } from '../../src/agent/ports.ts';
import type { ArchivedSegment } from '../../src/core/archive/segment-list.ts';
import { createFakeLog } from './fake-log.ts';
import { createLiveRig, type LiveRig } from './live-rig.ts';
import { memoryCoverageStore } from './memory-coverage-store.ts';

const cycleMs = 500;

/** Live streams of fake origins with their archive, in virtual time, recorded on the real disk. */
export type RecorderRig = LiveRig & {
  readonly archive: ReturnType<typeof createArchiveParts>;
  readonly log: ReturnType<typeof createFakeLog>;
  /** Time goes on by `ms`; what falls due is done and, unless it waits for time itself, waited for. */
  go(ms: number): Promise<void>;
  /** Everything of a rung, in the order of time. */
  recorded(
    stream: string,
    rung: string,
    container?: 'ts' | 'fmp4',
  ): Promise<readonly ArchivedSegment[]>;
  /** What was kept of a segment. */
  contentOf(stream: string, rung: string, segment: ArchivedSegment): Promise<string>;
  /** The agent ends, and another one starts on the same disk with the same streams. */
  restart(): Promise<void>;
};

export function createRecorderRig(
  folder: string,
  options: { openDvr?: OpenDvr; askRecordings?: AskRecordings } = {},
): RecorderRig {
  const rig = createLiveRig();
  const log = createFakeLog();
  const store: CoverageStore = memoryCoverageStore();
  const disk = watchDisk(
    options.openDvr ?? createOpenDvr({ defaultFolder: folder, reserveBytes: 0 }),
  );
  const waits = watchTimers(rig.clock);
  const { openDvr } = disk;
  const start = () =>
    createArchiveParts(
      {
        ...{ clock: rig.clock, timers: waits.timers, log, newId, openOrigin, openDvr, readMeaning },
        coverageStore: store,
        openScannedFolder,
        askRecordings: options.askRecordings,
      },
      rig.live,
    );
  let archive = start();
  let passedMs = 0;
  const go = async (ms: number) => {
    for (let done = 0; done < ms; done += 50) {
      await rig.run(50);
      passedMs += 50;
      if (passedMs % cycleMs !== 0) continue;
      const now = rig.clock.now();
      for (const { everyMs, run } of archive.cycles)
        if (passedMs % everyMs === 0) await Promise.race([run(now), waits.next()]);
      await disk.quiet();
    }
  };
  return {
    ...rig,
    log,
    get archive() {
      return archive;
    },
    go,
    recorded: async (stream, rung, container = 'ts') => {
      const period = { startMs: 0, endMs: Number.MAX_SAFE_INTEGER };
      return (await archive.reader.list({ stream, rung, container }, period)).flat();
    },
    contentOf: async (stream, rung, segment) => {
      const found = await archive.reader.open(
        { stream, rung, container: 'ts' },
        segment.name,
        undefined,
      );
      if (found.kind === 'fault') return found.reason;
      const parts: Uint8Array[] = [];
      for await (const part of found.body) parts.push(part);
      return Buffer.concat(parts).toString();
    },
    restart: async () => {
      await archive.close();
      archive = start();
    },
    close: async () => {
      await archive.close();
      await rig.close();
    },
  };
}

/** Tells when work has begun to wait for virtual time: it would never end while that stands still. */
function watchTimers(timers: Timers) {
  let note = () => {};
  return {
    timers: {
      after(delayMs: number, run: () => void) {
        note();
        return timers.after(delayMs, run);
      },
    },
    next: () =>
      new Promise<void>((resolve) => {
        note = resolve;
      }),
  };
}

/** Tells when nothing is under way on the disk. */
function watchDisk(real: OpenDvr): { openDvr: OpenDvr; quiet(): Promise<void> } {
  const running = new Set<Promise<unknown>>();
  const watched = <T>(work: T): T => {
    if (work instanceof Promise) {
      const done = work.finally(() => running.delete(done));
      running.add(done);
    }
    return work;
  };
  const openDvr: OpenDvr = (stream, folder) => {
    const opened = real(stream, folder).then(
      (dvr) =>
        new Proxy(dvr, {
          get(target, name) {
            const value = Reflect.get(target, name, target);
            return typeof value === 'function'
              ? (...args: unknown[]) => watched(value.apply(target, args))
              : value;
          },
        }),
    );
    return watched(opened);
  };
  const quiet = async () => {
    while (running.size > 0) {
      await Promise.allSettled(running);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  };
  return { openDvr, quiet };
}
