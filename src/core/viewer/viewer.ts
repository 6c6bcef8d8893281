/** What is known of the player from its User-Agent (advisory only: apps set it freely). */
export type PlayerFamily =
  | 'browser'
  | 'avplayer'
  | 'media3'
  | 'exoplayer2'
  | 'android'
  | 'vlc'
  | 'ffmpeg'
  | 'mpv'
  | 'kodi'
  | 'gstreamer'
  | 'none'
  | 'unknown';

/** The facts of one connection that decisions need; made from the socket and headers by `observeViewer`. */
export type Viewer = {
  /** Normalised: IPv4-mapped IPv6 is IPv4. From the socket, or from a trusted proxy's header. */
  readonly address: string;
  /** Whether the address is globally routable. */
  readonly isPublic: boolean;
  readonly isHttps: boolean;
  readonly family: PlayerFamily;
  /** Whether the player moves to a redundant variant by itself (`docs/players.md`). */
  readonly followsBackups: boolean;
  /** `address` and User-Agent in one short text: the same for a viewer that opens again. */
  readonly key: string;
};
