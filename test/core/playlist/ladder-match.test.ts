import { describe, expect, it } from 'vitest';
import type { Ladder, Rendition, Variant } from '../../../src/core/playlist/ladder.ts';
import { compareLadders, matchLadders } from '../../../src/core/playlist/ladder-match.ts';
import { aVariant } from '../../support/builders.ts';

const differ = ['rungs-differ'];
const single = (variant: Partial<Variant> = {}): Ladder => ({
  variants: [aVariant(variant)],
  renditions: [],
});
const ladder = (...variants: Partial<Variant>[]): Ladder => ({
  variants: variants.map(aVariant),
  renditions: [],
});
const low = { uri: 'low.m3u8', bandwidth: 1_000_000, resolution: '640x360' };
const high = { uri: 'high.m3u8', bandwidth: 4_000_000, resolution: '1920x1080' };

describe('a ladder backs up another', () => {
  it('when it is the same, and says which URIs go together', () => {
    const theirs = ladder({ ...low, uri: 'l/x.m3u8?k=1' }, { ...high, uri: 'h/x.m3u8' });
    expect(compareLadders(ladder(low, high), theirs)).toEqual([]);
    expect(matchLadders(ladder(low, high), theirs)?.variants).toEqual(['l/x.m3u8?k=1', 'h/x.m3u8']);
  });

  it.each([
    ['fewer rungs', ladder(low, high), ladder(low)],
    ['more rungs', ladder(low), ladder(low, high)],
    ['another order', ladder(low, high), ladder(high, low)],
    ['no rungs at all', ladder(), ladder()],
  ])('but not with %s', (_, own, theirs) => {
    expect(compareLadders(own, theirs)).toEqual(differ);
  });

  it.each<[string | undefined, string | undefined, readonly string[]]>([
    ['avc1.4d401f,mp4a.40.2', 'mp4a.40.2, avc1.4D401F', []],
    ['avc1.4d401f,mp4a.40.2', 'avc1.4d401f,mp4a.40.2,avc1.4d401f', []],
    [undefined, undefined, []],
    ['avc1.4d401f', undefined, differ],
    [undefined, 'avc1.4d401f', differ],
    ['avc1.4d401f,mp4a.40.2', 'avc1.4d401f', differ],
    ['avc1.4d401f', 'hvc1.1.6.L93.90', differ],
  ])('with codecs %s and %s: %j', (own, theirs, reasons) => {
    expect(compareLadders(single({ codecs: own }), single({ codecs: theirs }))).toEqual(reasons);
  });

  it.each([
    [4_999_999, []],
    [5_000_000, []],
    [5_000_001, differ],
    [1, []],
  ])('with %i bit/s where ours has 4000000', (bandwidth, reasons) => {
    const theirs = ladder(low, { ...high, bandwidth });
    expect(compareLadders(ladder(low, high), theirs)).toEqual(reasons);
  });

  it('with any bandwidth and resolution when there is but one rung', () => {
    const theirs = single({ bandwidth: 99_000_000, resolution: '64x36' });
    expect(compareLadders(single({ bandwidth: 1 }), theirs)).toEqual([]);
  });

  it('with another resolution only where one of both does not say it', () => {
    const with2 = (resolution: string | undefined) => ladder(low, { ...high, resolution });
    expect(compareLadders(with2('1920x1080'), with2(undefined))).toEqual([]);
    expect(compareLadders(with2(undefined), with2('1920x1080'))).toEqual([]);
    expect(compareLadders(with2('1920x1080'), with2('1280x720'))).toEqual(differ);
  });

  it.each([
    'https://elsewhere.example/a.m3u8',
    '/a.m3u8',
    '../a.m3u8',
    'a"b.m3u8',
    'a\nb',
    'a b',
    '',
  ])('but not with a URI that cannot follow a base: %j', (uri) => {
    expect(compareLadders(single(), single({ uri }))).toEqual(differ);
  });
});

describe('renditions', () => {
  const english: Rendition = {
    type: 'AUDIO',
    groupId: 'aac',
    name: 'English',
    language: 'en',
    uri: 'audio/en.m3u8',
  };
  const muxed: Rendition = { ...english, name: 'Deutsch', language: 'de', uri: undefined };
  const own: Ladder = { variants: [aVariant({ audio: 'aac' })], renditions: [english, muxed] };
  const theirs = (...renditions: Rendition[]): Ladder => ({
    variants: [aVariant({ audio: 'aac' })],
    renditions,
  });

  it('are matched whatever their group is called and whatever else is listed', () => {
    const other: Ladder = {
      variants: [aVariant({ audio: 'a0' })],
      renditions: [
        { ...english, groupId: 'unused', uri: 'x.m3u8' },
        { ...english, groupId: 'a0', uri: 'a/0.m3u8' },
        { ...muxed, groupId: 'a0' },
      ],
    };
    expect(matchLadders(own, other)?.renditions).toEqual(['a/0.m3u8', undefined]);
    expect(compareLadders(other, own)).toEqual([]);
  });

  it.each<[string, Ladder]>([
    ['one is missing', theirs(english)],
    ['one is added', theirs(english, muxed, { ...english, name: 'Commentary' })],
    ['the order differs', theirs(muxed, english)],
    ['a name differs', theirs({ ...english, name: 'english' }, muxed)],
    ['a language differs', theirs({ ...english, language: 'en-GB' }, muxed)],
    ['a language is missing', theirs({ ...english, language: undefined }, muxed)],
    ['a type differs', theirs({ ...english, type: 'SUBTITLES' }, muxed)],
    ['one has a URI where ours has none', theirs(english, { ...muxed, uri: 'de.m3u8' })],
    ['one has no URI where ours has one', theirs({ ...english, uri: undefined }, muxed)],
    ['the variant is in no group', { ...theirs(english, muxed), variants: [aVariant()] }],
  ])('differ when %s', (_, ladderOfTheirs) => {
    expect(compareLadders(own, ladderOfTheirs)).toEqual(differ);
    expect(compareLadders(ladderOfTheirs, own)).toEqual(differ);
  });

  it('differ when the URI of theirs cannot follow a base', () => {
    const elsewhere = theirs({ ...english, uri: '//h/en.m3u8' }, muxed);
    expect(compareLadders(own, elsewhere)).toEqual(differ);
  });

  it('are matched when both name groups that hold nothing', () => {
    const empty = (audio: string | undefined): Ladder => single({ audio });
    expect(compareLadders(empty('a'), empty('b'))).toEqual([]);
    expect(compareLadders(empty('a'), empty(undefined))).toEqual([]);
  });

  it('differ when two groups of one side are one of the other', () => {
    const both = (first: string, second: string): Ladder => ({
      variants: [aVariant({ audio: first }), aVariant({ audio: second })],
      renditions: [...new Set([first, second])].map((groupId) => ({ ...english, groupId })),
    });
    expect(compareLadders(both('a', 'b'), both('c', 'd'))).toEqual([]);
    expect(compareLadders(both('a', 'a'), both('c', 'd'))).toEqual(differ);
    expect(compareLadders(both('a', 'b'), both('c', 'c'))).toEqual(differ);
  });
});
