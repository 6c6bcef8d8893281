import { describe, expect, it } from 'vitest';
import { offerBackups } from '../../../src/core/placement/backups.ts';
import { judgeCandidates } from '../../../src/core/placement/candidates.ts';
import { aNode, aPeer, aStreamFacts, aViewer, testKeyId, testNow } from '../../support/builders.ts';

/** Places that differ in whom they fit, two nodes of one IP among them. */
const places = [
  { publicUrl: 'http://b.example.net' },
  { publicUrl: 'https://c.example.net' },
  { publicUrl: 'http://10.0.0.4:8080' },
  { publicUrl: undefined, addresses: ['127.0.0.1:8085', '[2001:db8::5]:8080'] },
  { publicUrl: undefined, addresses: ['127.0.0.1:8086', '198.51.100.6:8080'] },
  { publicUrl: 'http://198.51.100.6:81' },
];

function candidates() {
  return judgeCandidates({
    self: aNode({ id: 'node-a' }),
    name: 'ch1',
    own: aStreamFacts(),
    peers: places.map((where, at) => aPeer({ facts: { id: `node-${at}`, ...where } })),
    signingKeyId: testKeyId,
    now: testNow,
  });
}

const viewers = [
  ['203.0.113.50', true],
  ['2001:db8::50', true],
  ['10.0.0.50', false],
  ['fd00::50', false],
  ['127.0.0.1', false],
  ['::1', false],
  ['', false],
].flatMap(([address, isPublic]) =>
  [true, false].flatMap((isHttps) =>
    [true, false].flatMap((followsBackups) =>
      [[], ['node-0']].map((visited) => ({
        viewer: aViewer({
          address: String(address),
          isPublic: isPublic === true,
          isHttps,
          followsBackups,
        }),
        visited,
      })),
    ),
  ),
);

describe('the backups offered for one state of the group', () => {
  it('are for every viewer what they would be if nobody had asked before', () => {
    const shared = candidates();
    for (const asked of [...viewers, ...viewers.toReversed()]) {
      expect(offerBackups({ ...asked, candidates: shared })).toEqual(
        offerBackups({ ...asked, candidates: candidates() }),
      );
    }
  });

  it('are decided once for viewers who are alike', () => {
    const shared = candidates();
    const offersOf = (address: string) =>
      offerBackups({ candidates: shared, viewer: aViewer({ address }), visited: [] });
    expect(offersOf('203.0.113.51')).toBe(offersOf('198.51.100.52'));
    expect(offersOf('203.0.113.51').offers.map(({ node }) => node.id)).toEqual([
      ...['node-0', 'node-1', 'node-4'],
    ]);
  });
});
