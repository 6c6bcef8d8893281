import { openOrigin } from '../../src/adapters/origin/open-origin.ts';
import { readMeaning } from '../../src/adapters/origin/read-playlist.ts';
import { LiveStreams } from '../../src/agent/live-streams.ts';
import type { OriginFault, OriginStream } from '../../src/agent/ports.ts';
import type { StoredSegment } from '../../src/agent/segments.ts';
import type { AirState, StreamConfig } from '../../src/core/stream/stream.ts';
import { type FakeOrigin, type FakeOriginOptions, startFakeOrigin } from './fake-origin-server.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/** Streams kept fresh from fake origins over real sockets, in virtual time. */
export type LiveRig = {
  readonly clock: VirtualClock;
  readonly live: LiveStreams;
  /** Events logged, with their fields. */
  readonly events: { readonly event: string; readonly fields: object }[];
  /** One more fake origin, closed with the rig. */
  origin(options?: FakeOriginOptions): Promise<FakeOrigin>;
  /** Configures the streams; what is not said is an ungrouped stream. */
  configure(...streams: (Partial<StreamConfig> & { name: string })[]): void;
  /** Time goes on by `ms`, with a tick each 50 ms whose reads are waited for. */
  run(ms: number): Promise<void>;
  air(name: string): AirState | undefined;
  close(): Promise<void>;
};

/** What is tested here are origins as they are. */
const withoutTimelines = {
  pause: () => Promise.resolve(),
  isFeed: () => false,
  openFeed: () => ({ close: () => {} }),
  openTimeline: () => undefined,
  closeTimeline: () => {},
  canOthersServe: () => false,
  onAirChange: () => {},
};

/** `canOthersServe`: whether the domain has another node that serves every stream; none unless told. */
export function createLiveRig(
  options: { segmentCacheBytesMax?: number; canOthersServe?: () => boolean } = {},
): LiveRig {
  const clock = createVirtualClock();
  const events: { event: string; fields: object }[] = [];
  const note = (event: string, fields: object = {}) => void events.push({ event, fields });
  const log = { debug: note, info: note, warn: note, error: note };
  const live = new LiveStreams({
    clock,
    timers: clock,
    log,
    openOrigin,
    readMeaning,
    ...withoutTimelines,
    ...options,
  });
  const origins: FakeOrigin[] = [];
  return {
    clock,
    live,
    events,
    origin: async (settings) => {
      const origin = await startFakeOrigin(settings);
      origins.push(origin);
      return origin;
    },
    configure: (...streams) =>
      live.configure(
        streams.map((stream) => ({ reserve: true, ...stream })),
        clock.now(),
      ),
    run: async (ms) => {
      for (let passed = 0; passed < ms; passed += 50) {
        clock.advance(50);
        await live.tick(clock.now());
      }
    },
    air: (name) => live.facts(name)?.hls?.air,
    close: async () => {
      live.close();
      await Promise.all(origins.map((origin) => origin.close()));
    },
  };
}

/** Everything of a file, or the fault. */
export async function contentOf(
  file: StoredSegment | OriginStream | OriginFault,
): Promise<string | OriginFault> {
  if (file.kind === 'fault') return file;
  if (file.kind === 'stored') return Buffer.from(file.bytes).toString();
  const parts: Uint8Array[] = [];
  for await (const part of file.body) parts.push(part);
  file.close();
  return Buffer.concat(parts).toString();
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
