import type { AudioFormat, AudioHeader } from './audio-headers.ts';
import { audioHeaderBytes, readAudioHeader } from './audio-headers.ts';
import { concatBytes } from './bytes.ts';
import type { AudioFrame } from './units.ts';
import { ticksPerSecond, wrapTicks } from './units.ts';

/** The payload of one PES packet of an audio stream. */
type AudioPayload = {
  readonly bytes: Uint8Array;
  /** Of the first frame that begins in it; absent: it goes on from the frame before. */
  readonly pts?: number | undefined;
  readonly at: number;
  readonly damaged: boolean;
};

/** Cuts the payloads of one audio stream into frames, also frames that go on in the next payload. */
export type AudioSplitter = {
  push(payload: AudioPayload): { readonly frames: AudioFrame[]; readonly faults: number };
  /** Forgets the half frame held: what follows does not go on from it. */
  reset(): void;
};

/** Time of frame i of a payload is its PTS plus i frame durations, not rounded (`docs/timeline.md`). */
export function createAudioSplitter(track: number, format: AudioFormat): AudioSplitter {
  return new Splitter(track, format);
}

class Splitter implements AudioSplitter {
  readonly #track: number;
  readonly #format: AudioFormat;
  /** The half frame at the end of the payload before. */
  #held: Uint8Array = new Uint8Array(0);
  #heldDamaged = false;
  /** Time of the next frame. */
  #next: number | undefined;

  constructor(track: number, format: AudioFormat) {
    this.#track = track;
    this.#format = format;
  }

  push({ bytes, pts, at, damaged }: AudioPayload) {
    const heldBytes = this.#held.length;
    const all = heldBytes === 0 ? bytes : concatBytes([this.#held, bytes]);
    const found = findFrames(this.#format, all);
    // The time of the payload belongs to the first frame that begins in it, whole or not.
    const timedFrom = found.begins.find((from) => from >= heldBytes);
    const frames: AudioFrame[] = [];
    for (const frame of found.frames) {
      if (frame.from === timedFrom) this.#next = pts ?? this.#next;
      const isHeld = this.#heldDamaged && frame.from < heldBytes;
      frames.push(...this.#give(frame, all, { at, damaged: damaged || frame.skipped || isHeld }));
    }
    if (found.end === timedFrom) this.#next = pts ?? this.#next;
    this.#held = all.subarray(found.end);
    this.#heldDamaged = damaged && this.#held.length > 0;
    return { frames, faults: found.faults };
  }

  reset() {
    this.#held = new Uint8Array(0);
    this.#heldDamaged = false;
    this.#next = undefined;
  }

  /** The frame with its time; nothing while no time is known. */
  #give(
    { from, length, header }: FoundFrame,
    bytes: Uint8Array,
    base: { at: number; damaged: boolean },
  ): AudioFrame[] {
    const pts = this.#next;
    if (pts === undefined) return [];
    const { samples, sampleRate } = header;
    this.#next = wrapTicks(pts + (samples * ticksPerSecond) / sampleRate);
    const frame = bytes.subarray(from, from + length);
    const track = this.#track;
    return [{ kind: 'audio', track, ...base, pts, samples, sampleRate, bytes: frame }];
  }
}

type FoundFrame = {
  readonly from: number;
  readonly length: number;
  readonly header: AudioHeader;
  /** Bytes that make no sense lay before it. */
  readonly skipped: boolean;
};

/** Whole frames in the bytes, where each and the half one behind them begins, and where the rest begins. */
function findFrames(format: AudioFormat, bytes: Uint8Array) {
  const frames: FoundFrame[] = [];
  let faults = 0;
  let skipped = false;
  let at = 0;
  while (at + audioHeaderBytes <= bytes.length) {
    const header = readAudioHeader(format, bytes, at);
    if (header === undefined) {
      if (!skipped) faults += 1;
      skipped = true;
      at += 1;
      continue;
    }
    const length = wholeLength(format, bytes, at, header);
    if (at + length > bytes.length) break;
    frames.push({ from: at, length, header, skipped });
    skipped = false;
    at += length;
  }
  return { frames, faults, begins: [...frames.map((frame) => frame.from), at], end: at };
}

/** Bytes of the frame at `at` with the parts that belong to it, as far as they are there. */
function wholeLength(
  format: AudioFormat,
  bytes: Uint8Array,
  at: number,
  header: AudioHeader,
): number {
  let length = header.frameBytes;
  if (format !== 'eac3') return length;
  for (;;) {
    const further = readAudioHeader(format, bytes, at + length);
    if (further === undefined || further.begins) return length;
    length += further.frameBytes;
  }
}
