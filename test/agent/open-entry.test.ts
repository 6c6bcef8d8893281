import { expect, it } from 'vitest';
import { openEntry } from '../../src/agent/open-entry.ts';
import { createSpread } from '../../src/agent/spread.ts';
import type { ViewingDeps } from '../../src/agent/viewing-parts.ts';
import { judgeCandidates } from '../../src/core/placement/candidates.ts';
import { aNode, aStreamFacts, aViewer, onAir, testKeyId, testNow } from '../support/builders.ts';

it('an HLS entry that is not read yet is never answered with the MPD of the same stream', async () => {
  const self = aNode();
  const own = aStreamFacts({ dash: { air: onAir } });
  const drain = { isToLeave: () => false };
  const parts = { self: () => self, spread: createSpread(self.id), drain };
  const deps = parts as unknown as ViewingDeps;
  const answer = await openEntry(deps, {
    request: { viewer: aViewer(), host: '', path: 'ch1/index.m3u8', query: '', now: testNow },
    query: { others: '', blocks: false },
    arrival: { kind: 'own', isActive: false, home: self.id, hops: [], nodes: [] },
    asked: own,
    form: 'hls-entry',
    candidates: judgeCandidates({
      ...{ self, name: own.name, own, peers: [], signingKeyId: testKeyId },
      now: testNow,
    }),
    mpd: { kind: 'mpd', text: '<MPD/>', contentType: 'application/dash+xml', fetchedAt: 0 },
  });
  expect(answer).toEqual({ kind: 'refusal', status: 404, reason: 'starting' });
});
