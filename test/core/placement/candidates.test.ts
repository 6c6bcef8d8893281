import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/core/group/node.ts';
import { offerBackups } from '../../../src/core/placement/backups.ts';
import { judgeCandidates } from '../../../src/core/placement/candidates.ts';
import type { Viewer } from '../../../src/core/viewer/viewer.ts';
import {
  aNode,
  aPeer,
  aStreamFacts,
  aViewer,
  offAir,
  testKeyId,
  testNow,
} from '../../support/builders.ts';

function judged(peers: readonly Peer[]) {
  return judgeCandidates({
    self: aNode({ id: 'node-a' }),
    name: 'ch1',
    own: aStreamFacts(),
    peers,
    signingKeyId: testKeyId,
    now: testNow,
  });
}

function offered(peers: readonly Peer[], viewer: Viewer = aViewer()) {
  const { offers, verdicts } = offerBackups({ candidates: judged(peers), viewer, visited: [] });
  return {
    offers: offers.map(({ node }) => node.id),
    verdicts: Object.fromEntries(verdicts.map(({ node, reasons }) => [node, reasons])),
  };
}

const dead = { reachability: 'unreachable' as const };
const unheard = { reachability: 'unknown' as const };

describe('the candidates of a stream', () => {
  it('never hold this node, and each other node once, whatever the list of peers says', () => {
    const peer = fc.record({
      id: fc.constantFrom('node-a', 'node-b', 'node-c', 'node-d'),
      names: fc.uniqueArray(fc.constantFrom('ch1', 'ch2', 'ch3')),
      url: fc.nat(9),
      air: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(peer, { maxLength: 8 }), (parts) => {
        const peers = parts.map(({ id, names, url, air }) =>
          aPeer({
            url: `http://10.0.0.${url}:8082`,
            facts: { id },
            streams: names.map((name) =>
              aStreamFacts({ name, ...(!air && { hls: { air: offAir() } }) }),
            ),
          }),
        );
        const ids = judged(peers).list.map(({ node }) => node.id);
        const carriers = parts.filter(({ id, names }) => id !== 'node-a' && names.length > 0);
        expect(ids).toEqual([...new Set(carriers.map(({ id }) => id))].sort());
      }),
      { numRuns: 200 },
    );
  });

  it('are of the same group, not of the same name', () => {
    const other = aPeer({ facts: { id: 'node-b' }, streams: [aStreamFacts({ group: 'other' })] });
    const same = aPeer({ facts: { id: 'node-c' }, streams: [aStreamFacts({ name: 'kanal' })] });
    const none = aPeer({ facts: { id: 'node-d' }, streams: [aStreamFacts({ group: undefined })] });
    expect(judged([other, same, none]).list.map(({ stream }) => stream.name)).toEqual(['kanal']);
  });

  it('are judged by the fitter stream of a node that carries the group twice', () => {
    const frozen = aStreamFacts({ name: 'a-copy', hls: { air: offAir() } });
    const [candidate] = judged([
      aPeer({ streams: [frozen, aStreamFacts({ name: 'b-copy' })] }),
    ]).list;
    expect(candidate?.stream.name).toBe('b-copy');
  });
});

describe('the backups offered to a viewer', () => {
  it('are the eligible members alone while there is one', () => {
    const peers = [
      aPeer({ facts: { id: 'node-b', overloaded: true } }),
      aPeer({ facts: { id: 'node-c' } }),
      aPeer({ facts: { id: 'node-d' }, ...unheard }),
    ];
    expect(offered(peers)).toEqual({
      offers: ['node-c'],
      verdicts: { 'node-b': ['overloaded'], 'node-c': [], 'node-d': ['reachability-unknown'] },
    });
  });

  it('are the least bad when nobody is eligible: unheard ones, then overloaded ones, then dead ones', () => {
    const overloaded = aPeer({ facts: { id: 'node-b', overloaded: true } });
    const mayBeThere = aPeer({ facts: { id: 'node-c' }, ...unheard });
    const looksDead = aPeer({ facts: { id: 'node-d' }, ...dead });
    expect(offered([overloaded, mayBeThere, looksDead]).offers).toEqual(['node-c']);
    expect(offered([overloaded, looksDead]).offers).toEqual(['node-b']);
    expect(offered([looksDead]).offers).toEqual(['node-d']);
  });

  it('are no dead ones while another node is there, fit or not', () => {
    const draining = aPeer({ facts: { id: 'node-b', draining: true } });
    expect(offered([draining, aPeer({ facts: { id: 'node-d' }, ...dead })]).offers).toEqual([]);
  });

  it('are none for a player that cannot use them', () => {
    expect(offered([aPeer()], aViewer({ followsBackups: false }))).toEqual({
      offers: [],
      verdicts: { 'node-b': ['player-follows-no-backup'] },
    });
  });

  it('are none at an address that another one has already', () => {
    const publicUrl = 'http://tv.example.net';
    const twins = ['node-b', 'node-c'].map((id) => aPeer({ facts: { id, publicUrl } }));
    expect(offered(twins)).toEqual({
      offers: ['node-b'],
      verdicts: { 'node-b': [], 'node-c': ['address-same'] },
    });
  });

  it('are not taken from an unfit node at the same address', () => {
    const publicUrl = 'http://tv.example.net';
    const unfit = aPeer({ facts: { id: 'node-b', publicUrl, draining: true } });
    expect(offered([unfit, aPeer({ facts: { id: 'node-c', publicUrl } })]).offers).toEqual([
      'node-c',
    ]);
  });

  it('report 27: are one of two nodes whose names lead to one IP address', () => {
    const twins = ['node-b', 'node-c'].map((id, at) =>
      aPeer({ facts: { id, addresses: [`198.51.100.7:808${at}`] } }),
    );
    expect(offered([...twins, aPeer({ facts: { id: 'node-d' } })])).toEqual({
      offers: ['node-b', 'node-d'],
      verdicts: { 'node-b': [], 'node-c': ['address-same'], 'node-d': [] },
    });
  });

  it('are never this node, nor at its place, and no two nodes or places alike', () => {
    const where = fc.record({
      id: fc.constantFrom('node-a', 'node-b', 'node-c', 'node-d', 'node-e'),
      publicUrl: fc.constantFrom(
        undefined,
        ...['http://node-a.example.net', 'http://b.example.net', 'http://203.0.113.7:81'],
      ),
      addresses: fc.uniqueArray(
        fc.constantFrom('203.0.113.7:80', '203.0.113.8:80', '10.0.0.7:80', '[2001:db8::7]:80'),
      ),
      reachability: fc.constantFrom('reachable' as const, 'unknown' as const),
    });
    fc.assert(
      fc.property(fc.array(where, { maxLength: 6 }), (parts) => {
        const peers = parts.map(({ reachability, ...facts }) => aPeer({ facts, reachability }));
        const { offers } = offerBackups({
          candidates: judged(peers),
          viewer: aViewer(),
          visited: [],
        });
        const ids = offers.map(({ node }) => node.id);
        const hosts = offers.map(({ base }) => new URL(base).hostname);
        expect(ids).not.toContain('node-a');
        expect(hosts).not.toContain('node-a.example.net');
        expect(new Set(ids).size).toBe(ids.length);
        expect(new Set(hosts).size).toBe(hosts.length);
      }),
      { numRuns: 300 },
    );
  });
});
