/** Forms of archive addresses of media servers (`docs/archive.md`, "Addresses"). */
export const archiveUrlForms = [
  'flussonic',
  'nimble',
  'wowza',
  'mediapackage',
  'unified',
  'shift',
  'xc',
] as const;

export type ArchiveUrlForm = (typeof archiveUrlForms)[number];

/** Media servers that can be asked what they have recorded. */
export const archiveApiKinds = ['flussonic', 'mediamtx', 'nimble'] as const;

/**
 * What an operator says of a stream's archive, in the words of the streams file (`docs/archive.md`). Of `window`,
 * `directory`, `api`, `push` and `record` there is at most one: it alone says what is recorded.
 */
export type ArchiveConfig = {
  /** The media server keeps what the live window shows, for this long. */
  readonly window?: { readonly retention_h: number } | undefined;
  /** Segments in a folder, written by somebody else. */
  readonly directory?:
    | {
        /** Absolute. */
        readonly path: string;
        readonly times: 'names' | 'program-date-time' | 'file-times';
        /** For `names`: how the time stands in a file's name, e.g. `%Y/%m/%d/%H/%M/%S`, `{unix}` or `{ms}`. */
        readonly pattern?: string | undefined;
      }
    | undefined;
  /** The media server says what it has. */
  readonly api?:
    | { readonly kind: (typeof archiveApiKinds)[number]; readonly url: string }
    | undefined;
  /** A recorder says what it has, by `PUT /streams/{name}/coverage`. */
  readonly push?: true | undefined;
  /** The agent records by itself. */
  readonly record?:
    | {
        readonly depth_h: number;
        /** Absolute folder; absent: `dvr` in the data directory. */
        readonly path?: string | undefined;
        /** Most that is kept on disk for this stream, MB of 10^6 bytes. */
        readonly budget_mb?: number | undefined;
      }
    | undefined;
  /** The media server's own archive addresses: a form of {@link archiveUrlForms}, or a pattern that contains `{`. */
  readonly url?: string | undefined;
  /** How far back anything may be asked for and is kept track of. */
  readonly depth_h?: number | undefined;
  /** Whether holes are filled from members that record the same segments. */
  readonly refill?: boolean | undefined;
};

/** How far back anything is kept when nobody says so, hours. */
const defaultDepthH = 7 * 24;

/** How far back the archive reaches at most, ms. */
export function archiveDepthMs(config: ArchiveConfig): number {
  const hours =
    config.depth_h ?? config.record?.depth_h ?? config.window?.retention_h ?? defaultDepthH;
  return hours * 3_600_000;
}
