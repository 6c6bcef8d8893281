import { playlistLimits } from '../core/playlist/classify.ts';
import type { LiveWindow } from '../core/stream/live-window.ts';
import type { LiveDeps, MediaSnapshot } from './live-snapshots.ts';
import type { OriginBody, OriginFault } from './ports.ts';

/** Longest wait for a part or segment, ms. */
const waitMsMax = 6000;
/** Different parts and segments of one playlist waited for at once. */
const waitsMax = 8;
/** How far ahead of the window a viewer may ask, segments (RFC 8216bis 6.2.5.2 has the server refuse more). */
const aheadMax = 2;

/** What a blocking reload is about. */
type Reload = {
  readonly url: string;
  readonly query: string;
  readonly window: LiveWindow | undefined;
  readonly snapshot: MediaSnapshot | undefined;
  readonly takes: number;
  take(body: OriginBody, takesBefore: number): MediaSnapshot | OriginFault;
};

/** Viewers who wait for the same segment or part cost the origin one request. */
export class BlockingReloads {
  readonly #deps: LiveDeps;
  readonly #waits = new Map<string, Promise<MediaSnapshot | OriginFault>>();

  constructor(deps: LiveDeps) {
    this.#deps = deps;
  }

  /**
   * The playlist once it holds what is asked for by `_HLS_msn` and `_HLS_part`; at once when it does already or the
   * origin cannot wait. `_HLS_skip` is not passed on: every viewer gets the whole playlist.
   */
  async wait(reload: Reload): Promise<MediaSnapshot | OriginFault> {
    const { window, snapshot } = reload;
    const asked = readDirectives(reload.query);
    if (asked === 'malformed') return { kind: 'fault', reason: 'path-invalid' };
    if (window === undefined || snapshot === undefined)
      return { kind: 'fault', reason: 'starting' };
    if (asked === undefined || !window.playlist.canBlockReload || isThere(window, asked))
      return snapshot;
    const { edge, playlist } = window;
    if (asked.segment > edge.mediaSequence + edge.segments + aheadMax)
      return { kind: 'fault', reason: 'path-invalid' };
    const key = `${asked.segment}.${asked.part ?? ''}`;
    const waited = this.#waits.get(key);
    if (waited !== undefined) return waited;
    if (this.#waits.size >= waitsMax) return snapshot;
    const deadlineMs = Math.min(
      waitMsMax,
      Math.max(3 * (playlist.partTargetMs ?? 0), playlist.targetDurationMs),
    );
    const wait = this.#ask(reload, asked, deadlineMs).finally(() => this.#waits.delete(key));
    this.#waits.set(key, wait);
    return wait;
  }

  async #ask(
    reload: Reload,
    asked: Directives,
    deadlineMs: number,
  ): Promise<MediaSnapshot | OriginFault> {
    const part = asked.part === undefined ? '' : `&_HLS_part=${asked.part}`;
    const joint = reload.url.includes('?') ? '&' : '?';
    const found = await this.#deps.origin.read(
      `${reload.url}${joint}_HLS_msn=${asked.segment}${part}`,
      { deadlineMs, bytesMax: playlistLimits.bodyBytesMax },
    );
    return found.kind === 'fault' ? found : reload.take(withoutDirectives(found), reload.takes);
  }
}

/** The directives are no part of the playlist's place, and an origin that copies its query must not spread them. */
function withoutDirectives(body: OriginBody): OriginBody {
  return { ...body, url: body.url.replace(/([?&])_HLS_msn=[^#]*$/, '').replace(/[?&]$/, '') };
}

type Directives = { readonly segment: number; readonly part?: number | undefined };

function readDirectives(query: string): Directives | undefined | 'malformed' {
  const parameters = new URLSearchParams(query);
  const segment = parameters.get('_HLS_msn');
  const part = parameters.get('_HLS_part');
  if (segment === null) return part === null ? undefined : 'malformed';
  if (!/^\d{1,15}$/.test(segment) || !/^\d{1,6}$/.test(part ?? '0')) return 'malformed';
  return { segment: Number(segment), part: part === null ? undefined : Number(part) };
}

function isThere({ edge }: LiveWindow, { segment, part }: Directives): boolean {
  const next = edge.mediaSequence + edge.segments;
  return segment < next || (segment === next && part !== undefined && part < edge.parts);
}
