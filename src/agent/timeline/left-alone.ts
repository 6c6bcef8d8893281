import type { ReasonCode } from '../../core/reasons.ts';
import type { LiveWindow } from '../../core/stream/live-window.ts';
import type { LayoutFault } from '../../core/timeline/layout.ts';

/** Why a stream is not written anew. */
export type LeftAlone = Extract<
  ReasonCode,
  | 'codec-unsupported'
  | 'segments-encrypted'
  | 'segments-unreadable'
  | 'byte-ranges'
  | 'low-latency'
  | 'left-as-is'
  | 'window-memory'
>;

export const leftBy: Readonly<Record<LayoutFault, LeftAlone>> = {
  codec: 'codec-unsupported',
  encrypted: 'segments-encrypted',
  empty: 'segments-unreadable',
};

/** What of a playlist tells that its segments cannot be written anew. */
export function leftByPlaylist({ playlist }: LiveWindow): LeftAlone | undefined {
  if (playlist.encrypted) return 'segments-encrypted';
  if (playlist.lowLatency) return 'low-latency';
  const isRanged = playlist.segments.some(({ byteRange }) => byteRange !== undefined);
  return isRanged ? 'byte-ranges' : undefined;
}
