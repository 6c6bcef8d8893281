import fc from 'fast-check';

/**
 * Playlists as packagers really write them: every quirk here was seen in the field or is its near relative. Names of
 * renditions are unique, and no URI of the origin has a parameter `pass` or `round`.
 */

const ending = fc.constantFrom('\n', '\n', '\n', '\r\n', '\r\n', '\r\r\n');
const blankLine = fc.constantFrom('', '', ' ', '\t');
const word = fc.stringMatching(/^[a-z0-9]{1,6}$/);

const noise = fc.oneof(
  blankLine,
  fc.constantFrom(
    '# a comment',
    '## Created with a packager (version=1.0)',
    '#USP-X-TIMESTAMP-MAP:MPEGTS=900000,LOCAL=1970-01-01T00:00:00Z',
    '#EXT-X-VERSION:6',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    '#EXT-X-TWITCH-INFO:NODE="n",URI-LIKE="x"',
    '#EXT-X-SESSION-DATA:DATA-ID="com.example",VALUE="Ünïcode, with commas"',
    '#EXT-X-SESSION-KEY:METHOD=AES-128,URI="keys/session.bin",IV=0x1',
    '#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="CC1",INSTREAM-ID="CC1"',
    '#EXT-X-MEDIA:TYPE=METADATA,GROUP-ID="aac",NAME="m",URI="m.m3u8"',
    '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=9000,URI="iframes/index.m3u8?i=1"',
    '#EXT-X-I-FRAME-STREAM-INF:',
    '#EXTVENDOR',
    '#EXT-X-DEFINE:NAME="folder",VALUE="v/"',
    '#EXT-X-DEFINE:QUERYPARAM="session"',
  ),
);

/** Relative, below the stream: with queries, fragments, commas, brackets, percent signs and letters of any alphabet. */
const ownUri = fc
  .record({
    folder: fc.constantFrom(
      '',
      'v/',
      'a,b/',
      './',
      'QualityLevels(1)/',
      'видео/',
      'a%20b/',
      '{$folder}',
    ),
    name: word,
    query: fc.constantFrom('', '', '?', '?session=1', '?a=1&b=2,3', '?x'),
    fragment: fc.constantFrom('', '', '#', '#t=1'),
  })
  .map(({ folder, name, query, fragment }) => `${folder}${name}.m3u8${query}${fragment}`);

const foreignUri = fc.constantFrom(
  'https://cdn.example.org/live/index.m3u8',
  '//cdn.example.org/x.m3u8?y=1',
  '/root.m3u8',
  '../other/index.m3u8',
);

/** Places a part is left empty, blanks are put, or something is without `=`. */
const separator = fc.constantFrom(',', ',', ',', ',', ', ', ' ,', ',,', ',LIVE,');
const listEdge = fc.constantFrom('', '', '', ',');

function attributeList(parts: readonly string[]): fc.Arbitrary<string> {
  return fc
    .record({
      separators: fc.array(separator, { minLength: parts.length, maxLength: parts.length }),
      start: fc.constantFrom('', '', '', ' ', ','),
      end: listEdge,
    })
    .map(({ separators, start, end }) => {
      const list = parts.map((part, index) => (index === 0 ? part : separators[index] + part));
      return start + list.join('') + end;
    });
}

const groupIds = ['aac', 'ac-3', 'aac-b1', 'g b', 'Ünï', '__proto__', 'constructor'] as const;
const groupId = fc.constantFrom(...groupIds);

const rendition = fc
  .record({
    type: fc.constantFrom('AUDIO', 'AUDIO', 'SUBTITLES', 'VIDEO'),
    group: groupId,
    language: fc.option(fc.constantFrom('en', 'de', 'sr-Latn'), { nil: undefined }),
    uri: fc.option(ownUri, { nil: undefined }),
    uriFirst: fc.boolean(),
  })
  .map((r) => ({ kind: 'rendition' as const, ...r }));

const variant = fc
  .record({
    bandwidth: fc.constantFrom(300_000, 600_000, 600_000, 1_200_000),
    codecs: fc.constantFrom(undefined, 'avc1.4d401e,mp4a.40.2', 'hvc1.1.6.L93.90, mp4a.40.2'),
    audio: fc.option(groupId, { nil: undefined }),
    subtitles: fc.option(groupId, { nil: undefined }),
    video: fc.option(groupId, { nil: undefined }),
    between: fc.array(noise, { maxLength: 1 }),
    uri: fc.oneof({ weight: 12, arbitrary: ownUri }, { weight: 1, arbitrary: foreignUri }),
    indent: fc.constantFrom('', '', '', ' ', '\t'),
  })
  .map((v) => ({ kind: 'variant' as const, ...v }));

type Piece =
  | (typeof rendition extends fc.Arbitrary<infer T> ? T : never)
  | (typeof variant extends fc.Arbitrary<infer T> ? T : never)
  | { readonly kind: 'noise'; readonly text: string };

const piece: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 4, arbitrary: variant },
  { weight: 3, arbitrary: rendition },
  { weight: 2, arbitrary: noise.map((text) => ({ kind: 'noise' as const, text })) },
  // A URI that belongs to nothing, or to the STREAM-INF above it that has none.
  { weight: 1, arbitrary: ownUri.map((text) => ({ kind: 'noise' as const, text })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'noise', text: '#EXT-X-STREAM-INF:BANDWIDTH=9' }) },
);

function linesOf(part: Piece, index: number): fc.Arbitrary<readonly string[]> {
  if (part.kind === 'noise') return fc.constant([part.text]);
  if (part.kind === 'rendition') {
    const uri = part.uri === undefined ? [] : [`URI="${part.uri}"`];
    const rest = [
      `TYPE=${part.type}`,
      `GROUP-ID="${part.group}"`,
      `NAME="${index}, ‘name’"`,
      ...(part.language === undefined ? [] : [`LANGUAGE="${part.language}"`]),
      'X-VENDOR=0xAB',
    ];
    return attributeList(part.uriFirst ? [...uri, ...rest] : [...rest, ...uri]).map((list) => [
      `#EXT-X-MEDIA:${list}`,
    ]);
  }
  const parts = [
    `BANDWIDTH=${part.bandwidth}`,
    ...(part.audio === undefined ? [] : [`AUDIO="${part.audio}"`]),
    ...(part.codecs === undefined ? [] : [`CODECS="${part.codecs}"`]),
    'CLOSED-CAPTIONS="cc"',
    ...(part.subtitles === undefined ? [] : [`SUBTITLES="${part.subtitles}"`]),
    ...(part.video === undefined ? [] : [`VIDEO="${part.video}"`]),
  ];
  return attributeList(parts).map((list) => [
    `${part.indent}#EXT-X-STREAM-INF:${list}`,
    ...part.between,
    `${part.indent}${part.uri}`,
  ]);
}

/** A multivariant playlist with all its oddities, as text. */
export const aMultivariantPlaylist: fc.Arbitrary<string> = fc
  .array(piece, { minLength: 1, maxLength: 9 })
  .chain((pieces) => fc.tuple(...pieces.map(linesOf)))
  .chain((parts) => joined(['#EXTM3U', ...parts.flat()]));

/** A multivariant playlist without oddities: distinct rungs in one set of groups. */
export const aTidyLadder: fc.Arbitrary<{ readonly text: string; readonly rungs: number }> = fc
  .record({
    rungs: fc.integer({ min: 1, max: 4 }),
    codecs: fc.uniqueArray(fc.constantFrom('avc1.4d401e', 'hvc1.1.6.L93.90', 'av01.0.04M.08'), {
      minLength: 1,
    }),
    hasAudio: fc.boolean(),
  })
  .map(({ rungs, codecs, hasAudio }) => {
    const audio = hasAudio
      ? ['#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="English",URI="audio/en.m3u8"']
      : [];
    const variants = Array.from({ length: rungs }, (_, rung) =>
      codecs.flatMap((codec, twin) => [
        `#EXT-X-STREAM-INF:BANDWIDTH=${(rung + 1) * 1_000_000},CODECS="${codec}"${hasAudio ? ',AUDIO="aac"' : ''}`,
        `v${rung}/${twin}.m3u8`,
      ]),
    ).flat();
    return {
      text: `${['#EXTM3U', ...audio, ...variants].join('\n')}\n`,
      rungs: rungs * codecs.length,
    };
  });

const segmentLines = fc
  .record({
    before: fc.array(
      fc.constantFrom(
        '#EXT-X-DISCONTINUITY',
        '#EXT-X-GAP',
        '#EXT-X-BITRATE:900',
        '#EXT-X-BYTERANGE:1000@0',
        '#EXT-X-PROGRAM-DATE-TIME:2026-01-15T10:00:00.000Z',
        '#EXT-X-KEY:METHOD=AES-128,URI="keys/1.bin?k=1",IV=0X10ef',
        '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://key",KEYFORMAT="com.apple.streamingkeydelivery"',
        '#EXT-X-MAP:BYTERANGE="800@0",URI="init.mp4"',
        '#EXT-X-PART:DURATION=0.5,URI="p/1.0.mp4",INDEPENDENT=YES',
        '#EXT-X-DATERANGE:ID="__proto__",START-DATE="2026-01-15T07:00:00Z",X-ASSET-URI="ad/index.m3u8"',
        '#EXT-X-VENDOR:something, URI="vendor/file"',
        '## splice_insert(auto)',
        '',
      ),
      { maxLength: 3 },
    ),
    title: fc.constantFrom(',', '', ',no desc', ',Тест', ',{"title": "a, URI=\\"b\\""}'),
    duration: fc.constantFrom('4', '3.960', ' 4.0 ', '1.9600000381469727', '0'),
    uri: fc.oneof(word, ownUri, foreignUri),
  })
  .map(({ before, title, duration, uri }) => [...before, `#EXTINF:${duration}${title}`, uri]);

/** A media playlist with all its oddities, as text, and how many segments it has. */
export const aMediaPlaylist: fc.Arbitrary<{ readonly text: string; readonly segments: number }> = fc
  .array(segmentLines, { maxLength: 6 })
  .chain((segments) =>
    joined(['#EXTM3U', '#EXT-X-TARGETDURATION:4', ...segments.flat()]).map((text) => ({
      text,
      segments: segments.length,
    })),
  );

/** Lines with an ending each, a byte order mark or none, and a last line with or without ending. */
function joined(lines: readonly string[]): fc.Arbitrary<string> {
  return fc
    .record({
      endings: fc.oneof(
        ending.map((one) => lines.map(() => one)),
        fc.array(ending, { minLength: lines.length, maxLength: lines.length }),
      ),
      mark: fc.constantFrom('', '', '', '\ufeff'),
      endsOpen: fc.boolean(),
    })
    .map(({ endings, mark, endsOpen }) => {
      const text = lines.map((line, index) => line + endings[index]).join('');
      return mark + (endsOpen ? text.replace(/\r*\n$/, '') : text);
    });
}
