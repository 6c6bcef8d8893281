import { describe, expect, it } from 'vitest';
import { PeerRecord } from '../../src/agent/peer-record.ts';
import type { PeerAnswer, PeerQuestion } from '../../src/core/group/exchange.ts';
import { aNode, aStreamFacts } from '../support/builders.ts';

/** A record that was told the boot of its peer, and ways to ask and be answered. */
function met(boot = 'b-1') {
  const record = new PeerRecord('http://b');
  const asked = (seq: number, to?: string) => {
    const question: PeerQuestion = {
      protocol: 1,
      from: 'node-a',
      boot: 'a-1',
      seq,
      ...(to !== undefined && { to }),
      since: record.version,
      wantKeys: false,
    };
    return { question, sentAt: seq * 100 };
  };
  const refuse = (seq: number, to: string | undefined, by: string) =>
    record.take(
      { kind: 'refusal', reason: 'boot', protocol: 1, id: 'node-b', boot: by, version: '1' },
      asked(seq, to),
      seq * 100 + 10,
    );
  const answer = (seq: number, parts: Partial<PeerAnswer> = {}, to = boot) =>
    record.take(
      {
        kind: 'answer',
        protocol: 1,
        boot: to,
        at: 0,
        version: seq,
        full: false,
        more: false,
        streams: [],
        removed: [],
        ...parts,
      },
      asked(seq, to),
      seq * 100 + 10,
    );
  refuse(1, undefined, boot);
  return { record, answer, refuse };
}

const streams = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => aStreamFacts({ name: `s${from + index}` }));

describe('what is learned from a peer', () => {
  it('is asked again at once when another boot answers than was asked', () => {
    const { record, refuse } = met();
    expect(record.boot).toBe('b-1');
    expect(refuse(2, 'b-1', 'b-2')).toEqual({ again: true });
    expect(record.boot).toBe('b-2');
  });

  it('is not taken from an earlier life of it that answers late', () => {
    const { record, answer, refuse } = met();
    refuse(2, 'b-1', 'b-2');
    answer(3, { facts: aNode({ id: 'node-b' }), streams: streams(1) });
    expect([record.heardAt, record.facts, record.streams.size]).toEqual([undefined, undefined, 0]);
    expect(refuse(4, 'b-1', 'b-1')).toEqual({ again: false });
    expect(record.boot).toBe('b-2');
  });

  it('is not undone by an answer that was overtaken, which still shows that the peer lives', () => {
    const { record, answer } = met();
    answer(5, { streams: streams(1) });
    answer(4, { version: 9, full: true, streams: [] });
    expect([record.streams.size, record.version]).toEqual([1, 5]);
    expect(record.heardAt).toBe(410);
    expect(record.readings).toHaveLength(2);
  });

  it('is asked for more while there is more, and no longer when that leads nowhere', () => {
    const { answer } = met();
    expect(answer(2, { version: 500, more: true })).toEqual({ again: true });
    expect(answer(3, { version: 500, more: true })).toEqual({ again: false });
  });

  it.each([
    [9_999, 10_000],
    [10_000, 10_000],
  ])('of %i streams and one more is no more than 10 000 streams', (count, kept) => {
    const { record, answer } = met();
    answer(2, { streams: streams(count) });
    answer(3, { streams: streams(1, count) });
    expect(record.streams.size).toBe(kept);
    answer(4, { streams: [aStreamFacts({ name: 's0', reserve: false })] });
    expect(record.streams.get('s0')?.reserve).toBe(false);
  });

  it('is forgotten as to versions and clock, not as to streams, when the peer was restarted', () => {
    const { record, answer, refuse } = met();
    answer(2, { streams: streams(2) });
    refuse(3, 'b-1', 'b-2');
    expect([record.version, record.readings.length, record.streams.size]).toEqual([0, 0, 2]);
    answer(4, { full: true, streams: streams(1) }, 'b-2');
    expect(record.streams.size).toBe(1);
  });
});
