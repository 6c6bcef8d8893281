import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAttributes } from '../../../src/core/playlist/attributes.ts';
import { latin1Bytes, latin1Text, utf8Text } from '../../../src/core/playlist/bytes.ts';
import { type Line, readLines } from '../../../src/core/playlist/lines.ts';

describe('one character per byte', () => {
  it('is exact both ways, whatever the bytes and however many', () => {
    const all = Uint8Array.from({ length: 20_000 }, (_, index) => index % 256);
    expect(latin1Bytes(latin1Text(all))).toEqual(all);
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(latin1Bytes(latin1Text(bytes))).toEqual(bytes);
      }),
    );
  });

  it('is read as UTF-8 with its byte order mark, and not read at all when it is something else', () => {
    expect(utf8Text('\xef\xbb\xbf#\xd0\xa2')).toBe('\ufeff#Т');
    expect(utf8Text('caf\xe9')).toBeUndefined();
  });
});

describe('lines', () => {
  const contents = (text: string) => readLines(text).map((line) => line.content);
  const onlyLine = (text: string): Line => {
    const [line, ...more] = readLines(text);
    if (line === undefined || more.length > 0) throw new Error('one line expected');
    return line;
  };

  it('cover the whole text, each with its own ending', () => {
    const text = '\ufeff#EXTM3U \r\n\r\r\n\t\n a.ts\t\n#x';
    const lines = readLines(text);
    expect(lines.map((line) => text.slice(line.from, line.next)).join('')).toBe(text);
    expect(lines.map((line) => text.slice(line.endingAt, line.next))).toEqual([
      '\r\n',
      '\r\r\n',
      '\n',
      '\n',
      '',
    ]);
    expect(contents(text)).toEqual(['#EXTM3U', '', '', 'a.ts', '#x']);
    expect(lines.map((line) => line.kind)).toEqual(['tag', 'blank', 'blank', 'uri', 'comment']);
  });

  it('begin after a byte order mark, decoded or as three bytes, and nowhere else', () => {
    expect(contents('\ufeff#EXTM3U\n')).toEqual(['#EXTM3U']);
    expect(contents('\xef\xbb\xbf#EXTM3U\n')).toEqual(['#EXTM3U']);
    expect(contents('a\n\ufeffb')).toEqual(['a', '\ufeffb']);
  });

  it('name a tag by the whole name, so that a longer name is another tag', () => {
    expect(onlyLine('#EXT-X-ENDLIST-FOO').name).toBe('EXT-X-ENDLIST-FOO');
    expect(onlyLine('#EXT-X-DISCONTINUITY.X').name).toBe('EXT-X-DISCONTINUITY.X');
    expect(onlyLine('#EXTM3U x="y:z"').name).toBe('EXTM3U');
    expect(onlyLine('#EXT-X-VERSION: 10 ')).toMatchObject({ name: 'EXT-X-VERSION', value: '10' });
    expect(onlyLine('#EXT-X-STREAM-INF')).toMatchObject({ name: 'EXT-X-STREAM-INF', value: '' });
    expect(onlyLine('# EXTM3U')).toMatchObject({ kind: 'comment', name: '' });
  });
});

describe('an attribute list', () => {
  function read(list: string) {
    const text = `#EXT-X-T:${list}`;
    return readLines(text)
      .flatMap(readAttributes)
      .map(({ name, value, from, to }) => {
        expect(text.slice(from, to)).toBe(value);
        return `${name}|${value}`;
      });
  }

  it.each([
    ['A=1,B="x,y=z",C=0X1F', ['A|1', 'B|x,y=z', 'C|0X1F']],
    ['PROGRAM-ID=1, BANDWIDTH = 500000 ,C= "q" ', ['PROGRAM-ID|1', 'BANDWIDTH|500000', 'C|q']],
    ['A=1,', ['A|1']],
    [',A=1', ['A|1']],
    ['A=1,,B=2', ['A|1', 'B|2']],
    ['A=1,LIVE,B=2', ['A|1', 'B|2']],
    ['LIVE', []],
    ['', []],
    ['A=,B=""', ['A|', 'B|']],
    ['A="never closed,B=2', ['A|"never closed', 'B|2']],
    ['A="x"junk,B=2', ['A|x', 'B|2']],
    ['A=1,A=2', ['A|1', 'A|2']],
    ['URI="a?x=1&y=2"', ['URI|a?x=1&y=2']],
  ])('%s', (list, expected) => {
    expect(read(list)).toEqual(expected);
  });

  it('of commas, equals signs or quotes alone is read at once', () => {
    for (const character of [',', '=', '"', ',=', '=,', '="']) {
      expect(read(character.repeat(60_000)).length).toBeLessThanOrEqual(60_000);
    }
    expect(read(`${','.repeat(60_000)}A=1`)).toEqual(['A|1']);
  });
});
