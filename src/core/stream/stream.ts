import type { ArchiveConfig } from '../archive/archive-config.ts';
import type { ArchiveFacts } from '../archive/archive-facts.ts';
import type { Ladder } from '../playlist/ladder.ts';
import type { ReasonCode } from '../reasons.ts';
import type { UnixMs } from '../time.ts';

/** What an operator says of a stream (`docs/streams.md`). At least one of `origin` and `dash` is there. */
export type StreamConfig = {
  /** May contain `/`; no segment of it is empty, `.`, `..` or begins with `~`. */
  readonly name: string;
  /** HLS entry: http(s) URL, `file://` URL or absolute path of a playlist or of a folder with `index.m3u8`. */
  readonly origin?: string | undefined;
  /** MPD, in the same forms; a folder means `manifest.mpd` in it. */
  readonly dash?: string | undefined;
  /** Members of a group carry the same channel; without it the stream has no backups. */
  readonly group?: string | undefined;
  /** Whether this node offers itself as a backup for the stream. */
  readonly reserve: boolean;
  /** The operator's word that members with an equal label carry the same source. */
  readonly source?: string | undefined;
  /** False: the stream is left as its packager makes it, also in a group. */
  readonly canonical?: boolean | undefined;
  /** Absent: nothing is known to be recorded here. */
  readonly archive?: ArchiveConfig | undefined;
};

/** `ts`: MPEG-TS segments; `fmp4`: fragmented MP4 (CMAF), also of LL-HLS and DASH. In a fixed order. */
export const containers = ['ts', 'fmp4'] as const;

export type Container = (typeof containers)[number];

/** On air, or off air with the reason. */
export type AirState =
  | { readonly onAir: true }
  | { readonly onAir: false; readonly reason: ReasonCode };

/** One stream of one node as the node itself sees it; what members tell each other. */
export type StreamFacts = {
  readonly name: string;
  readonly group?: string | undefined;
  readonly reserve: boolean;
  readonly source?: string | undefined;
  /** Absent when the stream has no HLS origin. */
  readonly hls?: HlsFacts | undefined;
  /** Absent when the stream has no DASH origin. */
  readonly dash?: { readonly air: AirState } | undefined;
  /** What the node has recorded of it; absent where it keeps no archive. */
  readonly archive?: ArchiveFacts | undefined;
};

export type HlsFacts = {
  readonly air: AirState;
  /** When a moving live window was last seen; absent if never. While on air this is not kept current. */
  readonly lastMovedAt?: UnixMs | undefined;
  /** Absent until a media playlist with segments was seen. */
  readonly container?: Container | undefined;
  /** Low-latency HLS: the media playlists have parts. */
  readonly lowLatency: boolean;
  /** Whether the stream is written anew; absent until that is known, and outside of groups. */
  readonly timeline?: TimelineState | undefined;
  /** Variant streams and renditions in playlist order; absent until the entry was read. */
  readonly ladder?: Ladder | undefined;
};

/** Written anew by the agent, the same on every member (`docs/timeline.md`), or left as it is with the reason. */
export type TimelineState =
  | { readonly state: 'anew'; readonly reason?: undefined }
  | { readonly state: 'left'; readonly reason: ReasonCode };
