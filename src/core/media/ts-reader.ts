import { concatBytes } from './bytes.ts';
import type { TsStreamReader, UnitSink } from './ts-stream.ts';
import { createTsStreamReader } from './ts-stream.ts';
import type { TsStream } from './ts-tables.ts';
import { createSectionGatherer, readPat, readPmt, trackOf } from './ts-tables.ts';
import type { Reading, SegmentReader, Unit } from './units.ts';

/** Bytes of a transport packet (ISO 13818-1 2.4.3.2). */
export const packetBytes = 188;
/** Units that wait for a picture to end; beyond it they go on without it. */
const waitingUnitsMax = 5_000;
/** Garbage before the first packet that is skipped over when asking whether it is MPEG-TS. */
const garbageBytesMax = 4 * packetBytes;

/**
 * Reads MPEG-TS: every stream of the first program, assembled by PID. A PES packet without a length ends
 * with the next one of its PID or with the segment; one with a length may go on in the next segment.
 */
export function createTsReader(): SegmentReader {
  return new TsReader();
}

/** Whether the bytes look like MPEG-TS: sync bytes one packet apart near the beginning. */
export function isTs(bytes: Uint8Array): boolean {
  const at = findSync(bytes, 0);
  return at >= 0 && at < garbageBytesMax && bytes.length >= packetBytes;
}

type Lane = {
  readonly stream: TsStreamReader;
  /** Continuity counter of the last packet; undefined when any may follow. */
  counter: number | undefined;
};

class TsReader implements SegmentReader {
  #held: Uint8Array = new Uint8Array(0);
  /** Bytes read before `#held`. */
  #base = 0;
  #faults = 0;
  #units: Unit[] = [];
  readonly #pat = createSectionGatherer();
  readonly #pmt = createSectionGatherer();
  #pmtPid = -1;
  #streams: readonly TsStream[] = [];
  #lanes = new Map<number, Lane>();
  readonly #sink: UnitSink = {
    unit: (unit) => this.#units.push(unit),
    fault: () => {
      this.#faults += 1;
    },
  };

  read(bytes: Uint8Array, end: 'segment' | 'open'): Reading {
    const all = this.#held.length === 0 ? bytes : concatBytes([this.#held, bytes]);
    this.#faults = 0;
    const at = this.#packets(all);
    if (end === 'segment') {
      this.#held = new Uint8Array(0);
      this.#base += all.length;
      for (const lane of this.#lanes.values()) {
        lane.stream.endSegment();
        lane.counter = undefined;
      }
    } else {
      this.#held = all.slice(at);
      this.#base += at;
    }
    const tracks = [...this.#lanes.values()].map((lane) => lane.stream.track);
    return { tracks, units: this.#takeUnits(), faults: this.#faults };
  }

  /** Reads whole packets; returns where what is left begins. */
  #packets(bytes: Uint8Array): number {
    let at = 0;
    while (at + packetBytes <= bytes.length) {
      if (bytes[at] === 0x47) {
        this.#packet(bytes, at);
        at += packetBytes;
        continue;
      }
      this.#faults += 1;
      const next = findSync(bytes, at);
      if (next < 0) return bytes.length;
      at = next;
    }
    return at;
  }

  #packet(bytes: Uint8Array, start: number): void {
    const second = bytes[start + 1] ?? 0;
    const pid = ((second & 31) << 8) | (bytes[start + 2] ?? 0);
    const lane = this.#lanes.get(pid);
    if (lane === undefined && pid !== 0 && pid !== this.#pmtPid) return;
    const fourth = bytes[start + 3] ?? 0;
    // An error found on the way, or scrambled: it cannot be read.
    if (((second & 0x80) | (fourth & 0xc0)) !== 0) {
      this.#lose(lane);
      return;
    }
    const fieldBytes = (fourth & 0x20) === 0 ? 0 : 1 + (bytes[start + 4] ?? 0);
    const flags = fieldBytes > 1 ? (bytes[start + 5] ?? 0) : 0;
    const limit = start + packetBytes;
    const payload = bytes.subarray(Math.min(start + 4 + fieldBytes, limit), limit);
    const starts = (second & 0x40) !== 0;
    if (lane === undefined) {
      this.#table(pid, payload, starts);
      return;
    }
    if ((flags & 0x80) !== 0) lane.counter = undefined;
    if ((fourth & 0x10) === 0 || !this.#isNext(lane, fourth & 15)) return;
    const marked = (flags & 0x40) !== 0;
    lane.stream.push(payload, starts ? { at: this.#base + start, marked } : undefined);
  }

  /** False for a packet that is sent twice (ISO 13818-1 2.4.3.3); a jump is a loss. */
  #isNext(lane: Lane, counter: number): boolean {
    const before = lane.counter;
    lane.counter = counter;
    if (before === undefined || counter === ((before + 1) & 15)) return true;
    if (before === counter) return false;
    this.#lose(lane);
    return true;
  }

  #lose(lane: Lane | undefined): void {
    this.#faults += 1;
    lane?.stream.lose();
  }

  #table(pid: number, payload: Uint8Array, starts: boolean): void {
    if (pid === 0) {
      for (const section of this.#pat.push(payload, starts)) {
        const pids = readPat(section);
        if (!pids.includes(this.#pmtPid)) this.#pmtPid = pids[0] ?? -1;
      }
      return;
    }
    for (const section of this.#pmt.push(payload, starts)) this.#adopt(readPmt(section));
  }

  /** Takes over the streams of a PMT; those that stay the same keep what they hold. */
  #adopt(streams: readonly TsStream[]): void {
    if (streams.length === 0 || isSameList(streams, this.#streams)) return;
    const before = this.#lanes;
    this.#lanes = new Map();
    for (const stream of streams) {
      const old = this.#streams.find((candidate) => isSame(candidate, stream));
      const lane = old === undefined ? undefined : before.get(stream.pid);
      const fresh = () => ({
        stream: createTsStreamReader(trackOf(stream), this.#sink),
        counter: undefined,
      });
      this.#lanes.set(stream.pid, lane ?? fresh());
    }
    this.#streams = streams;
  }

  /** Units in the order in which they begin; those behind a picture that is still open wait for it. */
  #takeUnits(): Unit[] {
    let limit = Number.POSITIVE_INFINITY;
    for (const { stream } of this.#lanes.values()) {
      if (stream.track.kind === 'video') limit = Math.min(limit, stream.openAt() ?? limit);
    }
    if (this.#units.length > waitingUnitsMax) limit = Number.POSITIVE_INFINITY;
    const inOrder = this.#units.sort((a, b) => a.at - b.at);
    const ready = inOrder.filter((unit) => unit.at < limit);
    this.#units = inOrder.filter((unit) => unit.at >= limit);
    return ready;
  }
}

/** First position from which two sync bytes, or one and the end, are a packet apart; -1 if none. */
function findSync(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const next = at + packetBytes;
    if (bytes[at] === 0x47 && (next >= bytes.length || bytes[next] === 0x47)) return at;
  }
  return -1;
}

function isSameList(a: readonly TsStream[], b: readonly TsStream[]): boolean {
  return a.length === b.length && a.every((stream, index) => isSame(stream, b[index]));
}

function isSame(a: TsStream, b: TsStream | undefined): boolean {
  return (
    b !== undefined &&
    a.pid === b.pid &&
    a.streamType === b.streamType &&
    a.descriptors.length === b.descriptors.length &&
    a.descriptors.every((byte, index) => byte === b.descriptors[index])
  );
}
