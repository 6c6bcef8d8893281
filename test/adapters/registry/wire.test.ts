import { describe, expect, it } from 'vitest';
import {
  decodeQuestion,
  decodeReply,
  encodeQuestion,
  encodeReply,
  questionBytesMax,
} from '../../../src/adapters/registry/wire.ts';
import type { PeerAnswer, PeerQuestion } from '../../../src/core/group/exchange.ts';
import type { StreamFacts } from '../../../src/core/stream/stream.ts';
import { aLadder, aNode, aStreamFacts, offAir } from '../../support/builders.ts';

const nonce = 'AAAAAAAAAAAAAAAAAAAAAA';
const question: PeerQuestion = {
  protocol: 1,
  from: 'node-a',
  boot: 'a',
  seq: 1,
  to: 'b',
  since: 7,
  wantKeys: true,
};

function anAnswer(answer: Partial<PeerAnswer> = {}): PeerAnswer {
  return {
    kind: 'answer',
    protocol: 1,
    boot: 'b',
    at: 1_800_000_000_000.5,
    version: 3,
    full: true,
    more: false,
    streams: [],
    removed: [],
    ...answer,
  };
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

/** What arrives of a stream that a peer describes so. */
function received(stream: object): StreamFacts | undefined {
  const reply = decodeReply(json(anAnswer({ streams: [stream as StreamFacts] })));
  return reply?.kind === 'answer' ? reply.streams[0] : undefined;
}

describe('a question on the wire', () => {
  it('arrives as it was sent', () => {
    expect(decodeQuestion(encodeQuestion({ question, nonce }))).toEqual({ question, nonce });
    const { to: _, ...first } = question;
    expect(decodeQuestion(encodeQuestion({ question: first, nonce }))).toEqual({
      question: first,
      nonce,
    });
  });

  it('seeks a hundred sessions at most, below what any peer reads', () => {
    const sought = (count: number) => Array.from({ length: count }, () => 'S'.repeat(22));
    const sent = (count: number) =>
      encodeQuestion({ question: { ...question, sought: sought(count) }, nonce });
    expect(decodeQuestion(sent(100))?.question.sought).toHaveLength(100);
    expect(decodeQuestion(sent(101))?.question.sought).toBeUndefined();
    expect(sent(100).length).toBeLessThan(questionBytesMax - 1_000);
  });

  it('may have fields of a newer version', () => {
    expect(decodeQuestion(json({ ...question, nonce, colour: 'red' }))).toEqual({
      question,
      nonce,
    });
  });

  it('of another protocol version is read as far as it must be to be refused', () => {
    const sent = decodeQuestion(json({ protocol: 2, nonce, from: 'node-z', seq: 'seven' }));
    expect(sent).toMatchObject({ nonce, question: { protocol: 2, from: 'node-z' } });
  });

  it.each([
    ['no JSON', Buffer.from('{')],
    ['bytes that are no text', Buffer.from([0xff, 0xfe])],
    ['a list', json([])],
    ['null', json(null)],
    ['no nonce', json(question)],
    ['a short nonce', json({ ...question, nonce: 'AAAA' })],
    ['a number that is none', json({ ...question, nonce, seq: '1' })],
    ['a negative number', json({ ...question, nonce, seq: -1 })],
    ['a long name', json({ ...question, nonce, from: 'n'.repeat(257) })],
  ])('is not read: %s', (_, body) => {
    expect(decodeQuestion(body)).toBeUndefined();
  });
});

describe('an answer on the wire', () => {
  it('arrives as it was sent, with everything there is', () => {
    const stream: StreamFacts = {
      ...aStreamFacts({ name: 'sport/hd', hls: { container: 'fmp4', lowLatency: true } }),
      dash: { air: offAir('ended') },
    };
    const rendition = {
      type: 'AUDIO',
      groupId: 'a',
      name: 'English',
      language: 'en',
      uri: 'a.m3u8',
    } as const;
    const ladder = aLadder({ renditions: [rendition] });
    const withLadder = aStreamFacts({ name: 'b', hls: { ladder, air: offAir('frozen') } });
    const facts = aNode({ signingKey: '1-k', addresses: ['[2001:db8::7]:8080'] });
    const answer = anAnswer({
      facts,
      streams: [stream, withLadder],
      removed: ['c'],
      keys: 'wrapped',
    });
    expect(decodeReply(encodeReply(answer))).toEqual(answer);
  });

  it('arrives without fields that only a newer version knows', () => {
    const facts = { ...aNode(), mood: 'good' };
    const stream = { ...aStreamFacts(), colour: 'red' };
    expect(decodeReply(json({ ...anAnswer(), facts, streams: [stream], extra: 1 }))).toEqual(
      anAnswer({ facts: aNode(), streams: [aStreamFacts()] }),
    );
  });

  it('counts as not known what only a newer version understands', () => {
    const hls = { air: { onAir: false, reason: 'solar-flare' }, lowLatency: false };
    expect(received({ name: 'a', reserve: true, hls })?.hls?.air).toEqual({
      onAir: false,
      reason: 'reason-unknown',
    });
    expect(
      received(aStreamFacts({ hls: { container: 'webm' as 'ts' } }))?.hls?.container,
    ).toBeUndefined();
    const ladder = { variants: [], renditions: [{ type: 'SMELL', groupId: 'a', name: 'b' }] };
    expect(
      received({ ...aStreamFacts(), hls: { ...aStreamFacts().hls, ladder } })?.hls?.ladder,
    ).toBeUndefined();
  });

  it('pollutes nothing by hostile names', () => {
    const text = JSON.stringify(anAnswer({ streams: [aStreamFacts({ name: '__proto__' })] }));
    decodeReply(Buffer.from(text.replace('"kind"', '"__proto__":{"polluted":true},"kind"')));
    expect('polluted' in {}).toBe(false);
  });

  it.each([
    [
      'a refusal for a reason nobody knows',
      { kind: 'refusal', reason: 'mood', protocol: 1, id: 'b', boot: 'b', version: '1' },
    ],
    ['a stream without a name', { ...anAnswer(), streams: [{ reserve: true }] }],
    ['facts that are none', { ...anAnswer(), facts: 'b' }],
    ['a clock that is none', { ...anAnswer(), at: null }],
    [
      'too many streams',
      { ...anAnswer(), streams: Array.from({ length: 1_001 }, () => aStreamFacts()) },
    ],
  ])('is not read: %s', (_, value) => {
    expect(decodeReply(json(value))).toBeUndefined();
  });

  it.each([
    [
      { protocol: 2, id: 'node-z', boot: 'z', version: '9.0.0', kind: 'novel' },
      { id: 'node-z', boot: 'z', version: '9.0.0' },
    ],
    [{ protocol: 2 }, { id: 'unknown', boot: '', version: 'unknown' }],
  ])('of another protocol version is a refusal that says who: %j', (value, who) => {
    expect(decodeReply(json(value))).toEqual({
      kind: 'refusal',
      reason: 'protocol',
      protocol: 2,
      ...who,
    });
  });
});

describe('what is told of single sessions', () => {
  const slotInsteadOf = (count: number) => {
    const insteadOf = Array.from({ length: count }, (_, at) => `session-${at}`);
    return { session: 'session', login: 'login', viewer: 'viewer', insteadOf };
  };
  const notesWith = (count: number) => ({
    ...{ version: 7, full: false, more: true, freed: ['other'] },
    ended: [{ id: 'ended', untilS: 1_800_000_000 }],
    taken: [slotInsteadOf(count), { session: 'x', login: 'y', viewer: 'z' }],
  });
  const heard = (count: number) => {
    const reply = decodeReply(json(anAnswer({ notes: notesWith(count) })));
    return reply?.kind === 'answer' ? reply.notes : 'nothing';
  };

  it('arrives as it was sent, those included that let go for one', () => {
    expect(heard(16)).toEqual(notesWith(16));
  });

  it('is left out when more let go for one than may', () => {
    expect(heard(17)).toBeUndefined();
  });
});
