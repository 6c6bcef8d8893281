import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moveWebVtt } from '../../../src/core/timeline/webvtt-map.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const movedText = (text: string, offset: number) => {
  const bytes = moveWebVtt(bytesOf(text), offset);
  return bytes && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
};
const cue = '\n00:00.000 --> 00:02.000\nÜber X-TIMESTAMP-MAP=MPEGTS:5\n';

describe('the times of a WebVTT segment', () => {
  it.each([
    ['900000', 90_000, '990000'],
    ['0', -1, '8589934591'],
    ['8589934591', 1, '0'],
    ['8589934590', 1, '8589934591'],
    // Times of the group are Unix time in ticks.
    ['100', 1_790_000_000 * 90_000, String(100 + ((1_790_000_000 * 90_000) % 2 ** 33))],
    ['9000000000', 0, '410065408'],
  ])('move from %s by %i to %s', (from, offset, to) => {
    const text = (ticks: string) =>
      `WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:${ticks},LOCAL:00:00:00.000\n${cue}`;
    expect(movedText(text(from), offset)).toBe(text(to));
  });

  it.each([
    ['WEBVTT - Ü\r\nX-TIMESTAMP-MAP=LOCAL:00:00:10.000,MPEGTS:@\r\n\r\n00:00.000 --> 00:01.000'],
    [
      '\ufeffWEBVTT\tx\nKind: captions\nX-TIMESTAMP-MAP=MPEGTS:@,LOCAL:00:00:00.000\nLanguage: en\n',
    ],
    ['WEBVTT\rX-TIMESTAMP-MAP = MPEGTS : @ , LOCAL:00:00.000\r\rx'],
    ['WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:@'],
  ])('move and leave every other byte of %j as it is', (text) => {
    expect(movedText(text.replace('@', '10'), 5)).toBe(text.replace('@', '15'));
  });

  it.each([
    [`WEBVTT\n${cue}`, `WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:7,LOCAL:00:00:00.000\n${cue}`],
    ['WEBVTT x\r\n\r\n', 'WEBVTT x\r\nX-TIMESTAMP-MAP=MPEGTS:7,LOCAL:00:00:00.000\r\n\r\n'],
    ['WEBVTT', 'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:7,LOCAL:00:00:00.000\n'],
    // Behind an empty line it is no header: players take it for text.
    [
      'WEBVTT\n\nX-TIMESTAMP-MAP=MPEGTS:1,LOCAL:0\n',
      'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:7,LOCAL:00:00:00.000\n\nX-TIMESTAMP-MAP=MPEGTS:1,LOCAL:0\n',
    ],
  ])('are said where nothing says them: %j', (text, expected) => {
    expect(movedText(text, 7)).toBe(expected);
  });

  it.each([
    '',
    'WEBVTTX\n',
    '<tt/>',
    'WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000\n\n',
    'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:1234567890123456,LOCAL:0\n\n',
    `WEBVTT\n${'x'.repeat(64 * 1024 - 7)}\n\n`,
  ])('are left alone in what cannot be read: %j', (text) => {
    expect(moveWebVtt(bytesOf(text), 5)).toBeUndefined();
  });

  it('are found in a header that just fits', () => {
    expect(movedText(`WEBVTT\n${'x'.repeat(64 * 1024 - 9)}\n\ny`, 5)).toContain('MPEGTS:5,');
  });

  it('come back when they are moved back', () => {
    const ticks = fc.integer({ min: 0, max: 2 ** 33 - 1 });
    const offset = fc.integer({ min: -(2 ** 48), max: 2 ** 48 });
    const property = fc.property(ticks, offset, fc.uint8Array(), (from, by, more) => {
      const head = bytesOf(`WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:${from},LOCAL:00:00:00.000\n\n`);
      const bytes = new Uint8Array([...head, ...more]);
      const there = moveWebVtt(bytes, by);
      expect(there && moveWebVtt(there, -by)).toEqual(bytes);
    });
    fc.assert(property);
  });
});
