import { describe, expect, it } from 'vitest';
import type { Repeat, Word } from '../../../src/agent/worker-ports.ts';
import { Repertoire } from '../../../src/agent/workers/repertoire.ts';

const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);
type Over = Word['over'];

const nothing: Over = { all: false, what: [], who: [] };
const word = (seq: number, over: Partial<Over> = {}, move?: Word['move']): Word => ({
  seq,
  over: { ...nothing, ...over },
  move,
});

const playlist = (body: string, reason = 'own-viewer') => ({
  kind: 'playlist' as const,
  headers: { 'content-type': 'application/vnd.apple.mpegurl' },
  bytes: new TextEncoder().encode(body),
  reason,
});
const segment = (body: string) => ({ ...playlist(body, ''), kind: 'file' as const });

const ofViewer = (who: string, seq = 0, more: Partial<Repeat> = {}): Repeat => ({
  ...{ seq, what: 'ch1/v0.m3u8', who, stream: 'ch1' },
  ...more,
});

/** One that has heard that nothing is over, at 0 ms. */
function repertoire(bytesMax = 1_000) {
  const made = new Repertoire({ bytesMax, seq: 0 });
  made.hear(word(0), 0, 0);
  return made;
}

describe('what a worker answers by itself', () => {
  it('is the same question that was answered before, and no other', () => {
    const known = repertoire();
    known.keep('host/ch1/v0.m3u8?pass=a', ofViewer('a'), playlist('one'));
    expect(known.find('host/ch1/v0.m3u8?pass=a', 1)).toMatchObject({
      reason: 'own-viewer',
      who: 'a',
    });
    for (const other of ['host/ch1/v0.m3u8?pass=b', 'host/ch1/v0.m3u8', 'else/ch1/v0.m3u8?pass=a'])
      expect(known.find(other, 1)).toBeUndefined();
  });

  it('is nothing that the main process did not let be repeated', () => {
    const known = repertoire();
    known.keep('q', { seq: 0, who: 'a' }, playlist('one'));
    expect(known.find('q', 1)).toBeUndefined();
  });

  it.each([
    [999, true],
    [1_000, true],
    [1_000.5, false],
  ])('rests on word that was sent %s ms ago: %s', (ageMs, isAnswered) => {
    const known = repertoire();
    known.keep('q', ofViewer('a'), playlist('one'));
    expect(known.find('q', ageMs) !== undefined).toBe(isAnswered);
  });

  it('is nothing before the first word', () => {
    const known = new Repertoire({ bytesMax: 1_000, seq: 0 });
    known.keep('q', ofViewer('a'), playlist('one'));
    expect(known.find('q', 0)).toBeUndefined();
  });

  it.each([
    [8, true],
    [9, false],
  ])('goes on while %s reports are not taken yet: %s', (reports, isAnswered) => {
    const known = repertoire();
    known.keep('q', ofViewer('a'), playlist('one'));
    for (let count = 0; count < reports; count += 1) known.report(1);
    expect(known.find('q', 1) !== undefined).toBe(isAnswered);
    known.hear(word(0), reports, 1);
    expect(known.find('q', 1)).toBeDefined();
  });

  it('ends for a playlist that has changed, and goes on for every viewer once one was given the new one', () => {
    const known = repertoire();
    known.keep('a', ofViewer('a'), playlist('one', 'own-viewer'));
    known.keep('b', ofViewer('b'), playlist('one', 'backup-viewer'));
    known.hear(word(1, { what: ['ch1/v0.m3u8'] }), 0, 1);
    expect([known.find('a', 2), known.find('b', 2)]).toEqual([undefined, undefined]);
    known.keep('a', ofViewer('a', 1), playlist('two', 'own-viewer'));
    expect(text(known.find('b', 2)?.bytes)).toBe('two');
    expect(known.find('b', 2)?.reason).toBe('backup-viewer');
  });

  it('is no answer that was given before the latest word: what it rests on may be over', () => {
    const known = repertoire();
    known.hear(word(1, { who: ['a'] }), 0, 1);
    known.keep('q', ofViewer('a', 0), playlist('one'));
    expect(known.find('q', 2)).toBeUndefined();
    known.keep('q', ofViewer('a', 1), playlist('one'));
    expect(known.find('q', 2)).toBeDefined();
  });

  it.each([
    ['a', 'its id'],
    ['print of a', 'what its slot is called'],
  ])('ends for a session that is called over by %j, %s, and for no other', (name) => {
    const known = repertoire();
    known.keep('a', ofViewer('a', 0, { alias: 'print of a' }), playlist('one'));
    known.keep('b', ofViewer('b', 0, { alias: 'print of b' }), playlist('one'));
    known.hear(word(1, { who: [name] }), 0, 1);
    expect(known.find('a', 2)).toBeUndefined();
    expect(known.find('b', 2)).toBeDefined();
  });

  it('ends at once for a session whose other rung was asked for before', () => {
    const known = repertoire();
    known.keep('v0', ofViewer('a'), playlist('one'));
    known.keep('v1', ofViewer('a', 0, { what: 'ch1/v1.m3u8' }), playlist('one'));
    known.hear(word(1, { who: ['a'] }), 0, 1);
    for (const question of ['v0', 'v1', 'v0']) expect(known.find(question, 2)).toBeUndefined();
  });

  it('stays ended for a refused viewer that goes on asking', () => {
    const known = repertoire();
    known.keep('q', ofViewer('a'), playlist('one'));
    known.hear(word(1, { who: ['a'] }), 0, 1);
    for (let at = 0; at <= 600_000; at += 30_000) {
      known.hear(word(1), at / 30_000, at);
      expect(known.find('q', at)).toBeUndefined();
      known.report(at);
    }
  });

  it('ends altogether when all is called over', () => {
    const known = repertoire();
    known.keep('a', ofViewer('a'), playlist('one'));
    known.keep('s', { seq: 0, what: 'ch1/1.ts' }, segment('bytes'));
    known.hear(word(1, { all: true }), 0, 1);
    known.keep('b', ofViewer('b', 1), playlist('one'));
    expect([known.find('a', 2), known.find('s', 2)]).toEqual([undefined, undefined]);
    expect(known.find('b', 2)).toBeDefined();
  });

  it('ends for who did not ask for two minutes, while sessions live for three', () => {
    const known = repertoire();
    known.keep('idle', ofViewer('idle'), playlist('one'));
    known.keep('busy', ofViewer('busy'), playlist('one'));
    for (let at = 60_000; at <= 120_000; at += 60_000) {
      known.report(at);
      known.hear(word(0), 2, at);
      expect(known.find('busy', at)).toBeDefined();
    }
    expect(known.find('idle', 120_000)).toBeUndefined();
  });

  it('leaves to the main process whose moment to leave has come', () => {
    const known = repertoire();
    const viewers = Array.from({ length: 100 }, (_, at) => `viewer ${at}`);
    for (const who of viewers) known.keep(who, ofViewer(who), playlist('one'));
    const stay = (ageMs: number) => {
      known.hear(word(0, {}, { ageMs, overMs: 1_000 }), 0, 0);
      return viewers.filter((who) => known.find(who, 0) !== undefined).length;
    };
    expect(stay(0)).toBeGreaterThan(90);
    expect(stay(500)).toBeGreaterThan(30);
    expect(stay(500)).toBeLessThan(70);
    expect(stay(1_000)).toBe(0);
  });

  it('fits into its memory: the oldest make room, and what is larger is not kept', () => {
    const known = repertoire(10);
    for (const name of ['1', '2', '3'])
      known.keep(name, { seq: 0, what: name }, segment(`${name}234`));
    known.keep('4', { seq: 0, what: '4' }, segment('12345678901'));
    expect(['1', '2', '3', '4'].map((name) => text(known.find(name, 1)?.bytes))).toEqual([
      undefined,
      '2234',
      '3234',
      undefined,
    ]);
  });
});

describe('the report of a worker', () => {
  it('names each session once, with what was sent and answered, and begins anew', () => {
    const known = repertoire();
    known.keep('a', ofViewer('a', 0, { alias: 'print', viewerKey: 'key' }), playlist('one'));
    known.keep('s', { seq: 0, what: 'ch1/1.ts' }, segment('bytes'));
    for (let count = 0; count < 3; count += 1) known.find('a', 1);
    known.find('s', 1);
    known.addBytes('a', 3);
    known.addBytes('a', 5);
    expect(known.report(1)).toEqual({
      seen: [['a', 'ch1', 'key']],
      sent: [['a', 8]],
      answered: [
        ['playlist', 'own-viewer', 3],
        ['file', '', 1],
      ],
    });
    expect(known.report(2)).toEqual({ seen: [], sent: [], answered: [] });
  });

  it('is not taken up with sessions that were sent nothing', () => {
    const known = repertoire();
    for (let count = 0; count < 2_000; count += 1) known.addBytes(`a${count}`, 0);
    expect(known.isFull).toBe(false);
    known.addBytes('a0', 1);
    expect(known.report(1).sent).toEqual([['a0', 1]]);
  });

  it('is due when it has 2,000 sessions; until then further ones are passed on', () => {
    const known = repertoire();
    for (let count = 0; count < 2_001; count += 1)
      known.keep(`q${count}`, ofViewer(`a${count}`), playlist('one'));
    for (let count = 0; count < 1_999; count += 1) known.find(`q${count}`, 1);
    expect(known.isFull).toBe(false);
    expect(known.find('q1999', 1)).toBeDefined();
    expect(known.isFull).toBe(true);
    expect(known.find('q2000', 1)).toBeUndefined();
    expect(known.report(1).seen).toHaveLength(2_000);
    expect(known.find('q2000', 1)).toBeDefined();
  });
});
