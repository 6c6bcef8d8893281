import type { AudioFormat } from '../media/audio-headers.ts';
import type { OtherTrack, Track, VideoFormat } from '../media/units.ts';

/** The tracks of a canonical stream, in its order; the same on every member. */
export type Layout = {
  readonly video?: VideoFormat | undefined;
  readonly audio: readonly AudioLayout[];
  readonly others: readonly OtherLayout[];
};

type AudioLayout = {
  readonly format: AudioFormat;
  readonly language?: string | undefined;
};

type OtherLayout = {
  readonly streamType: number;
  /** Descriptors of the stream, hex. */
  readonly descriptors: string;
};

/** Why a stream cannot be written anew. */
export type LayoutFault = 'encrypted' | 'codec' | 'empty';

/** Where a track of a member goes. */
export type Lane =
  | { readonly kind: 'video' }
  | { readonly kind: 'audio'; readonly index: number }
  | { readonly kind: 'other'; readonly index: number };

const audioMax = 8;
const othersMax = 8;

const noStreamType = -1;

/** Stream types of pictures and sound that are not taken apart (ISO 13818-1 table 2-34, ATSC, SMPTE). */
const foreignTypes = new Set([
  noStreamType,
  0x10,
  0x11,
  0x1c,
  0x1d,
  0x1e,
  0x1f,
  0x20,
  0x21,
  0x22,
  0x25,
  0x2d,
  0x2e,
  0x32,
  0x33,
  0x42,
  0x80,
  0x82,
  0x83,
  0x84,
  0x85,
  0xd1,
  0xea,
]);

/** The layout that a stream of these tracks gets when it founds a timeline, or why it cannot have one. */
export function layoutOf(tracks: readonly Track[]): Layout | LayoutFault {
  if (tracks.some((track) => track.encrypted)) return 'encrypted';
  const [video, ...moreVideo] = tracks.flatMap((t) => (t.kind === 'video' ? t.format : []));
  const audio = tracks.flatMap((track) =>
    track.kind === 'audio' ? { format: track.format, language: track.language } : [],
  );
  const others = tracks.flatMap((track) => (track.kind === 'other' ? otherLayout(track) : []));
  const isKnown = others.every((other) => !foreignTypes.has(other.streamType));
  const fits = moreVideo.length === 0 && audio.length <= audioMax && others.length <= othersMax;
  if (!isKnown || !fits) return 'codec';
  return video === undefined && audio.length === 0 ? 'empty' : { video, audio, others };
}

/**
 * Lane of each track id in a timeline's layout; undefined when the tracks are others. Order counts among audio
 * tracks and among the rest; a packager that drops languages still matches.
 */
export function lanesOf(layout: Layout, tracks: readonly Track[]): Map<number, Lane> | undefined {
  const own = layoutOf(tracks);
  if (typeof own === 'string' || own.video !== layout.video) return undefined;
  const sameAudio =
    own.audio.length === layout.audio.length &&
    own.audio.every((entry, index) => entry.format === layout.audio[index]?.format);
  const sameOthers =
    own.others.length === layout.others.length &&
    own.others.every((entry, index) => entry.streamType === layout.others[index]?.streamType);
  if (!sameAudio || !sameOthers) return undefined;
  const lanes = new Map<number, Lane>();
  let audio = 0;
  let other = 0;
  for (const { id, kind } of tracks) {
    if (kind === 'video') lanes.set(id, { kind });
    else if (kind === 'audio') lanes.set(id, { kind, index: audio++ });
    else lanes.set(id, { kind, index: other++ });
  }
  return lanes;
}

/** A track of fMP4 that is carried has no place in MPEG-TS. */
function otherLayout({ streamType = noStreamType, descriptors }: OtherTrack): OtherLayout {
  return { streamType, descriptors: hexOf(descriptors) };
}

function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
