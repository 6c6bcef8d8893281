import type { OpenOrigin } from '../../src/agent/ports.ts';
import { defaultChannel, mediaText, multivariantText } from '../support/fake-playlists.ts';

/** What can be wrong with an origin while the simulation runs. */
export type OriginState = { isFrozenAt: number | undefined; status: 200 | 404 };

export const targetS = 5;

/** Bits per second that each viewer takes. */
export const bitsPerS = 4_000_000;

const base = 'http://origin.example.net';
const channel = {
  ...defaultChannel(),
  ...{ targetS, windowSegments: 6, rungs: [{ path: 'video.m3u8', bandwidth: bitsPerS }] },
};

/** Entry of the one stream there is. */
export const originEntry = `${base}${channel.entryPath}`;

const encoder = new TextEncoder();

/** An origin in memory: a segment each target duration by the clock, the same on every node. */
export function createSimOrigin(state: OriginState, monoMs: () => number): OpenOrigin {
  const newest = () => Math.floor((state.isFrozenAt ?? monoMs()) / (targetS * 1000));
  const textOf = (path: string) =>
    path === channel.entryPath
      ? multivariantText(channel, base, '')
      : mediaText(channel, { newest: newest(), parts: 0 }, { base, path, query: '', ended: false });
  return () => ({
    async read(url) {
      if (state.status !== 200) return { kind: 'fault', reason: 'origin-status', status: 404 };
      return { kind: 'body', url, bytes: encoder.encode(textOf(new URL(url).pathname)) };
    },
    async open() {
      return { kind: 'fault', reason: 'not-found' };
    },
    close() {},
  });
}
