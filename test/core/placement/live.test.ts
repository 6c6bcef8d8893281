import { describe, expect, it } from 'vitest';
import type { NodeFacts, Peer, Reachability } from '../../../src/core/group/node.ts';
import { judgeCandidates } from '../../../src/core/placement/candidates.ts';
import { type LiveRequest, placeLive } from '../../../src/core/placement/live.ts';
import type { StreamFacts } from '../../../src/core/stream/stream.ts';
import {
  aNode,
  aPeer,
  aStreamFacts,
  aViewer,
  offAir,
  onAir,
  testKeyId,
  testNow,
} from '../../support/builders.ts';

const frozen = aStreamFacts({ hls: { air: offAir('frozen') } });

function peer(
  id: string,
  facts: Partial<NodeFacts> = {},
  reachability: Reachability = 'reachable',
): Peer {
  return aPeer({ facts: { id, ...facts }, reachability });
}

function carrying(id: string, ...streams: StreamFacts[]): Peer {
  return aPeer({ facts: { id }, streams });
}

/** Where node-a puts a viewer of `ch1`; unless said otherwise it is on air there and at node-b and node-c. */
function place(
  group: { own?: StreamFacts | undefined; peers?: readonly Peer[]; name?: string } = {},
  request: Partial<LiveRequest> = {},
) {
  const name = group.name ?? 'ch1';
  const candidates = judgeCandidates({
    self: aNode({ id: 'node-a' }),
    name,
    own: 'own' in group ? group.own : aStreamFacts(),
    peers: group.peers ?? [peer('node-b'), peer('node-c')],
    signingKeyId: testKeyId,
    now: testNow,
  });
  const placement = placeLive({
    stream: name,
    form: 'hls-entry',
    viewer: aViewer(),
    arrival: { kind: 'own' },
    candidates,
    hasPlaylist: true,
    sentLately: new Map(),
    ...request,
  });
  return {
    kind: placement.kind,
    reason: placement.reason,
    offers: placement.kind === 'serve' ? placement.offers.map(({ node }) => node.id) : undefined,
    target: placement.kind === 'redirect' ? placement.target.node.id : undefined,
    url: placement.kind === 'redirect' && placement.target.base + placement.target.stream.name,
    hops: placement.kind === 'redirect' ? placement.hops : undefined,
    verdicts: Object.fromEntries(placement.verdicts.map(({ node, reasons }) => [node, reasons])),
  };
}

function fromNode(home: string, more: { hops?: readonly string[]; refusal?: 'overloaded' } = {}) {
  return { arrival: { kind: 'backup' as const, home, hops: [], ...more } };
}

describe('a stream on air here', () => {
  it('is served to its own viewers, with the members as backups', () => {
    expect(place()).toMatchObject({
      kind: 'serve',
      reason: 'own-viewer',
      offers: ['node-b', 'node-c'],
      verdicts: { 'node-b': [], 'node-c': [] },
    });
  });

  it('is served to its own viewers also when no peer is seen at all', () => {
    expect(place({ peers: [] })).toMatchObject({ kind: 'serve', reason: 'own-viewer', offers: [] });
  });

  it('is served to viewers of another node, with backups other than the nodes they have been at', () => {
    expect(place({}, fromNode('node-b'))).toMatchObject({
      kind: 'serve',
      reason: 'backup-viewer',
      offers: ['node-c'],
      verdicts: { 'node-b': ['visited'], 'node-c': [] },
    });
    const sentOn = fromNode('node-b', { hops: ['node-b', 'node-c'] });
    expect(place({}, sentOn)).toMatchObject({ kind: 'serve', offers: [] });
  });

  it.each(['media-playlist', 'dash-entry'] as const)('names no backups in a %s', (form) => {
    const own = aStreamFacts({ dash: { air: onAir } });
    expect(place({ own }, { form })).toMatchObject({ reason: 'own-viewer', offers: [] });
  });
});

describe('a viewer of another node who is refused here', () => {
  const refused = fromNode('node-b', { refusal: 'overloaded' });

  it('is sent on to a third node, never back', () => {
    expect(place({}, refused)).toMatchObject({
      kind: 'redirect',
      target: 'node-c',
      hops: ['node-a'],
      verdicts: { 'node-a': ['overloaded'], 'node-b': ['visited'], 'node-c': [] },
    });
  });

  it('is told why when there is no third node, also while nobody else has the stream', () => {
    for (const peers of [[peer('node-b')], []]) {
      expect(place({ peers }, refused)).toMatchObject({ kind: 'not-found', reason: 'overloaded' });
    }
    expect(place({ own: frozen, peers: [] }, refused)).toMatchObject({ reason: 'overloaded' });
  });

  it('is not given a media playlist either, so that its player moves on', () => {
    const reload = { ...refused, form: 'media-playlist' as const };
    expect(place({}, reload)).toMatchObject({ kind: 'not-found', reason: 'overloaded' });
    expect(place({ own: frozen, peers: [] }, reload)).toMatchObject({ reason: 'overloaded' });
  });
});

describe('the entry of a stream that is off air here', () => {
  it('is answered with a node where it is on air, under the name it has there', () => {
    const peers = [
      carrying('node-b', frozen),
      carrying('node-c', aStreamFacts({ name: 'tv/one' })),
    ];
    expect(place({ own: frozen, peers })).toMatchObject({
      kind: 'redirect',
      reason: 'redirected',
      url: 'http://node-c.example.net/tv/one',
      hops: ['node-a'],
      verdicts: { 'node-a': ['frozen'], 'node-b': ['frozen'], 'node-c': [] },
    });
  });

  it('is answered with the node that has the fewest viewers for its weight', () => {
    const twice = { ownSessions: 8, backupSessions: 2, weight: 2 };
    const to = (viewers: number) =>
      place({
        own: frozen,
        peers: [peer('node-b', twice), peer('node-c', { ownSessions: viewers })],
      }).target;
    expect(to(4)).toBe('node-c');
    expect(to(6)).toBe('node-b');
  });

  it('counts the viewers who are on their way to a node', () => {
    const sentLately = new Map([['node-b', 1]]);
    expect(place({ own: frozen }, { sentLately }).target).toBe('node-c');
    expect(place({ own: frozen }, { sentLately: new Map([['node-c', 1]]) }).target).toBe('node-b');
  });

  it('counts a node that came back by the part of its weight that it has for this protocol', () => {
    const to = (viewers: number, form: 'hls-entry' | 'dash-entry') => {
      const both = aStreamFacts({ hls: { air: onAir }, dash: { air: onAir } });
      const at = (id: string, ownSessions: number) =>
        aPeer({ facts: { id, ownSessions }, streams: [both] });
      const judged = judgeCandidates({
        self: aNode({ id: 'node-a' }),
        name: 'ch1',
        own: frozen,
        peers: [at('node-b', viewers), at('node-c', 10)],
        signingKeyId: testKeyId,
        now: testNow,
      });
      const shares = { backup: 0.1, hls: 0.5, dash: 1 };
      const list = judged.list.map((one) => (one.node.id === 'node-b' ? { ...one, shares } : one));
      return place({}, { candidates: { ...judged, list }, form }).target;
    };
    expect([to(4, 'hls-entry'), to(6, 'hls-entry')]).toEqual(['node-b', 'node-c']);
    expect([to(9, 'dash-entry'), to(11, 'dash-entry')]).toEqual(['node-b', 'node-c']);
  });

  it('is answered for different viewers with different nodes where all are equal, for one always the same', () => {
    const to = (key: string) => place({ own: frozen }, { viewer: aViewer({ key }) }).target;
    const targets = Array.from({ length: 200 }, (_, index) => to(`viewer ${index}`));
    expect(targets.filter((id) => id === 'node-b').length).toBeGreaterThan(60);
    expect(targets.filter((id) => id === 'node-c').length).toBeGreaterThan(60);
    expect(to('viewer 7')).toBe(targets[7]);
  });

  it('is never answered with a node that the viewer cannot reach', () => {
    const peers = [peer('node-b', { publicUrl: 'http://10.0.0.2:8080' })];
    expect(place({ own: frozen, peers })).toMatchObject({
      kind: 'not-found',
      reason: 'nobody-has-it',
      verdicts: { 'node-b': ['address-private'] },
    });
  });

  it('is found over DASH where DASH is on air, and not found where nobody offers it', () => {
    const dash = { form: 'dash-entry' as const, hasPlaylist: false };
    const peers = [peer('node-b'), carrying('node-c', aStreamFacts({ dash: { air: onAir } }))];
    expect(place({ peers }, dash)).toMatchObject({ kind: 'redirect', target: 'node-c' });
    expect(place({}, dash)).toMatchObject({ kind: 'not-found', reason: 'no-such-protocol' });
  });
});

describe('a viewer who is sent on', () => {
  it('may be sent twice, and the pass says by whom', () => {
    const once = fromNode('node-b', { hops: ['node-b'] });
    expect(place({ own: frozen }, once)).toMatchObject({
      kind: 'redirect',
      target: 'node-c',
      hops: ['node-b', 'node-a'],
    });
  });

  it('is not sent a third time', () => {
    const twice = fromNode('node-x', { hops: ['node-x', 'node-b'] });
    expect(place({ own: frozen }, twice)).toMatchObject({
      kind: 'not-found',
      reason: 'hops-exhausted',
    });
  });

  it('is not sent to a node that sent it here, whatever that node has', () => {
    const peers = [peer('node-b')];
    expect(place({ own: frozen, peers }, fromNode('node-b', { hops: ['node-b'] }))).toMatchObject({
      kind: 'not-found',
      reason: 'nobody-has-it',
      verdicts: { 'node-a': ['frozen'], 'node-b': ['visited'] },
    });
  });
});

describe('a media playlist of a stream that is off air here', () => {
  const reload = { form: 'media-playlist' as const };

  it('is not found while another node has the stream, so that the player moves on', () => {
    expect(place({ own: frozen }, reload)).toMatchObject({
      kind: 'not-found',
      reason: 'frozen',
      verdicts: { 'node-a': ['frozen'] },
    });
  });

  it('is served as it is when nobody has the stream, if there is one', () => {
    const alone = { own: frozen, peers: [carrying('node-b', frozen)] };
    expect(place(alone, reload)).toMatchObject({
      kind: 'serve',
      reason: 'last-resort',
      offers: [],
      verdicts: { 'node-a': ['frozen'] },
    });
    expect(place(alone, { ...reload, hasPlaylist: false })).toMatchObject({
      kind: 'not-found',
      reason: 'frozen',
    });
  });
});

describe('a stream that is on air nowhere', () => {
  const peers = [carrying('node-b', frozen)];

  it('is served as the last resort where there is something to serve, to anybody', () => {
    for (const arrival of [{}, fromNode('node-b', { hops: ['node-x', 'node-b'] })]) {
      expect(place({ own: frozen, peers }, arrival)).toMatchObject({
        kind: 'serve',
        reason: 'last-resort',
      });
    }
  });

  it('is not found where there is nothing', () => {
    expect(place({ own: frozen, peers }, { hasPlaylist: false })).toMatchObject({
      kind: 'not-found',
      reason: 'nobody-has-it',
      verdicts: { 'node-a': ['frozen'], 'node-b': ['frozen'] },
    });
  });

  it('is, while nobody is heard, first served here and then looked for at those who may be there', () => {
    const unheard = [peer('node-b', {}, 'unknown')];
    expect(place({ own: frozen, peers: unheard }).reason).toBe('last-resort');
    const nothing = { hasPlaylist: false };
    expect(place({ own: frozen, peers: unheard }, nothing)).toMatchObject({
      kind: 'redirect',
      reason: 'redirected-unheard',
      target: 'node-b',
      verdicts: { 'node-b': ['reachability-unknown'] },
    });
    const exhausted = { ...nothing, ...fromNode('node-x', { hops: ['node-x', 'node-y'] }) };
    expect(place({ own: frozen, peers: unheard }, exhausted).reason).toBe('hops-exhausted');
    const dead = [peer('node-b', {}, 'unreachable')];
    expect(place({ own: frozen, peers: dead }, nothing).reason).toBe('nobody-has-it');
  });
});

describe('a stream that every other node has but may not take viewers for', () => {
  const overloaded = [peer('node-b', { overloaded: true }), peer('node-c', { overloaded: true })];
  const draining = [peer('node-b', { draining: true }), peer('node-c', { draining: true })];

  it('report 24: still goes to own viewers while all nodes are overloaded, with the least bad as backups', () => {
    expect(place({ peers: overloaded })).toMatchObject({
      kind: 'serve',
      reason: 'least-bad-backups',
      offers: ['node-b', 'node-c'],
      verdicts: { 'node-b': ['overloaded'], 'node-c': ['overloaded'] },
    });
    expect(place({ peers: draining })).toMatchObject({ kind: 'serve', offers: [] });
  });

  it.each([
    ['overloaded', overloaded, 'all-full'],
    ['draining', draining, 'nobody-has-it'],
  ])(
    'is sent to none of them for being %s: what is left here, or nothing',
    (reason, peers, said) => {
      expect(place({ own: frozen, peers })).toMatchObject({ kind: 'serve', reason: 'last-resort' });
      expect(place({ own: frozen, peers }, { hasPlaylist: false })).toMatchObject({
        kind: 'not-found',
        reason: said,
        verdicts: { 'node-a': ['frozen'], 'node-b': [reason], 'node-c': [reason] },
      });
    },
  );

  it('is sent to the one that may', () => {
    const peers = [peer('node-b', { overloaded: true }), peer('node-c')];
    expect(place({ own: frozen, peers })).toMatchObject({ kind: 'redirect', target: 'node-c' });
  });
});

describe('a name that this node does not carry', () => {
  const none = { own: undefined };
  const nothing = { hasPlaylist: false };

  it('is unknown when no peer carries it either', () => {
    expect(place({ ...none, name: 'ch2' }, nothing)).toMatchObject({
      kind: 'not-found',
      reason: 'unknown-stream',
      verdicts: { 'node-a': ['not-carried'] },
    });
  });

  it('is found at a peer that carries it, also by another name in the same group', () => {
    expect(place(none, nothing)).toMatchObject({ kind: 'redirect', reason: 'redirected' });
    const peers = [
      carrying('node-b', frozen),
      carrying('node-c', aStreamFacts({ name: 'kanal-1' })),
    ];
    expect(place({ ...none, peers }, nothing)).toMatchObject({
      target: 'node-c',
      url: 'http://node-c.example.net/kanal-1',
    });
  });

  it('is nowhere to be had when those that carry it are off air', () => {
    const peers = [carrying('node-b', frozen)];
    expect(place({ ...none, peers }, nothing).reason).toBe('nobody-has-it');
  });
});
