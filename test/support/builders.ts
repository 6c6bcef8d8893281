/** Facts with everything defaulted but what a test is about. Two calls never share a mutable object. */
import { type NodeFacts, type Peer, peerProtocolVersion } from '../../src/core/group/node.ts';
import type { Ladder, Variant } from '../../src/core/playlist/ladder.ts';
import type { ReasonCode } from '../../src/core/reasons.ts';
import type { AirState, HlsFacts, StreamFacts } from '../../src/core/stream/stream.ts';
import type { Now } from '../../src/core/time.ts';
import type { Viewer } from '../../src/core/viewer/viewer.ts';

/** A moment well after both clocks' zero, so that a test can go back from it. */
export const testNow: Now = { wallMs: 1_800_000_000_000, monoMs: 10_000_000 };

/** The viewing key that every node of {@link aNode} holds. */
export const testKeyId = '1-test-key';

export const onAir: AirState = { onAir: true };

export function offAir(reason: ReasonCode = 'frozen'): AirState {
  return { onAir: false, reason };
}

/** A node that is fit for everything, reached by the name `{id}.example.net` over http. */
export function aNode(facts: Partial<NodeFacts> = {}): NodeFacts {
  const id = facts.id ?? 'node-a';
  return {
    id,
    protocol: peerProtocolVersion,
    version: '0.1.0',
    publicUrl: `http://${id}.example.net`,
    addresses: [],
    draining: false,
    overloaded: false,
    atBackupLimit: false,
    weight: 1,
    ownSessions: 0,
    backupSessions: 0,
    keys: [testKeyId],
    passTtlS: 43_200,
    ...facts,
  };
}

export function aVariant(variant: Partial<Variant> = {}): Variant {
  return {
    uri: 'v0/index.m3u8',
    bandwidth: 2_500_000,
    codecs: 'avc1.4d401f,mp4a.40.2',
    resolution: '1280x720',
    ...variant,
  };
}

export function aLadder(ladder: Partial<Ladder> = {}): Ladder {
  return { variants: [aVariant()], renditions: [], ...ladder };
}

function someHls(hls: Partial<HlsFacts> = {}): HlsFacts {
  return {
    air: onAir,
    lastMovedAt: testNow.wallMs,
    container: 'ts',
    lowLatency: false,
    ladder: aLadder(),
    ...hls,
  };
}

/** A stream of group `ch1` that is on air over HLS; `hls` changes single facts of its HLS side. */
export function aStreamFacts(
  facts: Omit<Partial<StreamFacts>, 'hls'> & { hls?: Partial<HlsFacts> | undefined } = {},
): StreamFacts {
  const { hls, ...rest } = facts;
  return {
    name: 'ch1',
    group: 'ch1',
    reserve: true,
    source: 'studio',
    ...rest,
    hls: 'hls' in facts && hls === undefined ? undefined : someHls(hls),
  };
}

/** A reachable peer with an equal clock that carries `streams` (by default one {@link aStreamFacts}). */
export function aPeer(
  parts: Omit<Partial<Peer>, 'facts' | 'streams'> & {
    facts?: Partial<NodeFacts>;
    streams?: readonly StreamFacts[];
  } = {},
): Peer {
  const { facts, streams, ...rest } = parts;
  const node = aNode({ id: 'node-b', ...facts });
  return {
    url: `http://${node.id}.example.net:8082`,
    reachability: 'reachable',
    heardAt: testNow.monoMs,
    clock: { offsetMs: 0, roundTripMs: 2 },
    ...rest,
    facts: node,
    streams: new Map((streams ?? [aStreamFacts()]).map((stream) => [stream.name, stream])),
  };
}

/** A viewer with a browser at a public address, over http. */
export function aViewer(viewer: Partial<Viewer> = {}): Viewer {
  const address = viewer.address ?? '203.0.113.50';
  return {
    address,
    isPublic: true,
    isHttps: false,
    family: 'browser',
    followsBackups: true,
    key: `${address}|browser`,
    ...viewer,
  };
}
