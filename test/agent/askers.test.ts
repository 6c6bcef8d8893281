import { expect, it } from 'vitest';
import { Askers } from '../../src/agent/askers.ts';
import type { PeerQuestion } from '../../src/core/group/exchange.ts';

const self = { id: 'node-0', boot: 'boot-0' };

function ask(askers: Askers, from: string, seq: number, at = seq) {
  const question: PeerQuestion = {
    protocol: 1,
    from,
    boot: `boot of ${from}`,
    seq,
    to: self.boot,
    since: 0,
    wantKeys: false,
  };
  return askers.refusal(question, self, { wallMs: at, monoMs: at });
}

it('nodes that ask unasked are named, the last one to ask first, without those that are known', () => {
  const askers = new Askers();
  for (const [seq, from] of ['a', 'b', 'c', 'a'].entries()) ask(askers, from, seq + 1);
  expect(askers.strangers(new Set(['c']))).toEqual([
    { id: 'a', lastAskedAt: 4 },
    { id: 'b', lastAskedAt: 2 },
  ]);
});

it('a refused question does not count as asked', () => {
  const askers = new Askers();
  ask(askers, 'a', 7);
  expect(ask(askers, 'a', 7, 99)).toBe('replayed');
  expect(askers.strangers(new Set())).toEqual([{ id: 'a', lastAskedAt: 7 }]);
});

it('256 nodes are remembered; then the one that asked least recently is forgotten', () => {
  const askers = new Askers();
  for (let index = 0; index < 256; index += 1) ask(askers, `n${index}`, index + 1);
  ask(askers, 'n0', 300);
  ask(askers, 'one more', 301);
  const ids = askers.strangers(new Set()).map(({ id }) => id);
  expect(ids).toHaveLength(256);
  expect(ids.slice(0, 2)).toEqual(['one more', 'n0']);
  expect(ids).not.toContain('n1');
  expect(ids).toContain('n2');
});
