import { createAudioSplitter } from './audio-frames.ts';
import { concatBytes } from './bytes.ts';
import type { GatheredPes, Pes } from './pes.ts';
import { createPesGatherer, parsePes } from './pes.ts';
import { carriesSections, createSectionGatherer } from './ts-tables.ts';
import type { AudioTrack, Track, Unit, VideoTrack } from './units.ts';
import { isKeyPicture, splitPicture } from './video-units.ts';

/** One elementary stream of a program: packet payloads in, units out. */
export type TsStreamReader = {
  readonly track: Track;
  /** `start` is there for a payload with `payload_unit_start_indicator`. */
  push(payload: Uint8Array, start: { at: number; marked: boolean } | undefined): void;
  lose(): void;
  endSegment(): void;
  /** Where the first unit begins that is not given out yet. */
  openAt(): number | undefined;
};

/** Where finished units and counts of faults go. */
export type UnitSink = { unit(unit: Unit): void; fault(): void };

/** Reader for the streams of one PMT entry. */
export function createTsStreamReader(track: Track, sink: UnitSink): TsStreamReader {
  const isSections = track.kind === 'other' && carriesSections(track.streamType ?? 0);
  return isSections ? createSectionReader(track, sink) : createPesReader(track, sink);
}

function createSectionReader(track: Track, sink: UnitSink): TsStreamReader {
  const gatherer = createSectionGatherer();
  let at = 0;
  return {
    track,
    push(payload, start) {
      at = start?.at ?? at;
      for (const bytes of gatherer.push(payload, start !== undefined)) {
        sink.unit({ kind: 'other', track: track.id, form: 'section', at, damaged: false, bytes });
      }
    },
    lose: gatherer.reset,
    endSegment: () => undefined,
    openAt: () => undefined,
  };
}

function createPesReader(track: Track, sink: UnitSink): TsStreamReader {
  const maker = makerOf(track, sink);
  const gatherer = createPesGatherer((gathered) => {
    const pes = parsePes(gathered.bytes);
    if (pes === undefined || gathered.damaged) sink.fault();
    if (pes !== undefined) maker.take(pes, gathered);
  });
  return {
    track,
    push: gatherer.push,
    lose() {
      gatherer.lose();
      maker.lose();
    },
    endSegment() {
      gatherer.endSegment();
      maker.endSegment();
    },
    openAt: () => maker.openAt() ?? gatherer.openAt(),
  };
}

type UnitMaker = {
  take(pes: Pes, gathered: GatheredPes): void;
  lose(): void;
  endSegment(): void;
  openAt(): number | undefined;
};

function makerOf(track: Track, sink: UnitSink): UnitMaker {
  if (track.kind === 'video') return createPictureMaker(track, sink);
  if (track.kind === 'audio') return createFrameMaker(track, sink);
  return {
    take({ pts, streamId, payload: bytes }, { at, damaged }) {
      sink.unit({ kind: 'other', track: track.id, form: 'pes', at, damaged, pts, streamId, bytes });
    },
    lose: () => undefined,
    endSegment: () => undefined,
    openAt: () => undefined,
  };
}

function createFrameMaker(track: AudioTrack, sink: UnitSink): UnitMaker {
  const splitter = createAudioSplitter(track.id, track.format);
  return {
    take({ payload: bytes, pts }, { at, damaged }) {
      const { frames, faults } = splitter.push({ bytes, pts, at, damaged });
      for (const frame of frames) sink.unit(frame);
      for (let i = 0; i < faults; i += 1) sink.fault();
    },
    lose: () => splitter.reset(),
    endSegment: () => undefined,
    openAt: () => undefined,
  };
}

/** Pictures of one time stamp are never larger; more PES packets without a time are given up. */
const pictureBytesMax = 16 * 1_024 * 1_024;

/**
 * A PES packet without a time goes on from the one before it: the rest of a large picture, or a second
 * picture (field) that got no time of its own. So the last one is held until the next begins.
 */
function createPictureMaker(track: VideoTrack, sink: UnitSink): UnitMaker {
  type Held = Pick<GatheredPes, 'at' | 'marked' | 'damaged'> & {
    readonly pts: number;
    readonly dts: number;
    readonly payload: Uint8Array;
  };
  let held: Held | undefined;
  const give = () => {
    if (held === undefined) return;
    const { payload, marked, ...times } = held;
    held = undefined;
    const parts = splitPicture(track.format, payload);
    const isKey = isKeyPicture(track.format, parts, marked);
    sink.unit({ kind: 'video', track: track.id, ...times, isKey, parts });
  };
  return {
    take({ pts, dts, payload }, { at, marked, damaged }) {
      if (pts !== undefined) {
        give();
        held = { at, marked, damaged, pts, dts: dts ?? pts, payload };
      } else if (held === undefined || held.payload.length + payload.length > pictureBytesMax) {
        sink.fault();
      } else {
        const whole = concatBytes([held.payload, payload]);
        held = { ...held, payload: whole, damaged: held.damaged || damaged };
      }
    },
    lose: () => undefined,
    endSegment: give,
    openAt: () => held?.at,
  };
}
