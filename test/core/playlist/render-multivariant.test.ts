import { describe, expect, it } from 'vitest';
import type { Ladder } from '../../../src/core/playlist/ladder.ts';
import { compileMultivariant } from '../../../src/core/playlist/multivariant.ts';
import {
  type RenderOptions,
  renderMultivariant,
} from '../../../src/core/playlist/render-multivariant.ts';
import { bytesOf, fixture } from './playlist-texts.ts';

const b = 'http://b.example.net/';
const c = 'https://c.example.net:8080/tv/';

function render(
  text: string,
  options: Partial<Omit<RenderOptions, 'backups'>> & { bases?: string[]; ladder?: Ladder } = {},
): string {
  const template = compileMultivariant(bytesOf(text));
  if (template === undefined) throw new Error('not compiled');
  const ladder = options.ladder ?? template.ladder;
  const backups = (options.bases ?? []).map((base) => ({ base, ladder }));
  return renderMultivariant(template, { repeat: false, ...options, backups });
}

const inf = '#EXT-X-STREAM-INF:BANDWIDTH=1';
const single = `#EXTM3U\n${inf}\nv.m3u8\n`;

describe('a rendered playlist', () => {
  it('names both backups right after the variant they back, all with the one pass', () => {
    expect(render(single, { pass: 'P.p_-', bases: [b, c] })).toBe(
      `#EXTM3U
${inf}\nv.m3u8?pass=P.p_-
${inf}\n${b}v.m3u8?pass=P.p_-
${inf}\n${c}v.m3u8?pass=P.p_-
`,
    );
  });

  it('lists the nodes a second time after the first round, with URLs of their own', () => {
    expect(render(single, { pass: 'P', bases: [b, c], repeat: true }).split(`${inf}\n`)).toEqual([
      '#EXTM3U\n',
      'v.m3u8?pass=P\n',
      `${b}v.m3u8?pass=P\n`,
      `${c}v.m3u8?pass=P\n`,
      'v.m3u8?pass=P&round=2\n',
      `${b}v.m3u8?pass=P&round=2\n`,
      `${c}v.m3u8?pass=P&round=2\n`,
    ]);
  });

  it('repeats nothing when there is no backup', () => {
    expect(render(single, { pass: 'P', repeat: true })).toBe(single.replace('m3u8', 'm3u8?pass=P'));
  });

  it('has no pass parameter when there is no pass', () => {
    expect(render(single, { bases: [b], repeat: true })).toBe(
      `#EXTM3U\n${inf}\nv.m3u8\n${inf}\n${b}v.m3u8\n${inf}\nv.m3u8?round=2\n${inf}\n${b}v.m3u8?round=2\n`,
    );
  });

  it.each([
    ['v.m3u8', 'v.m3u8?pass=P'],
    ['v.m3u8?', 'v.m3u8?&pass=P'],
    ['v.m3u8?a=1', 'v.m3u8?a=1&pass=P'],
    ['v.m3u8#t=1?', 'v.m3u8?pass=P#t=1?'],
    ['v.m3u8?a=1#t', 'v.m3u8?a=1&pass=P#t'],
    ['видео.m3u8', 'видео.m3u8?pass=P'],
  ])('puts the pass into the query of %s', (uri, expected) => {
    expect(render(`#EXTM3U\n${inf}\n${uri}\n`, { pass: 'P' })).toBe(
      `#EXTM3U\n${inf}\n${expected}\n`,
    );
  });

  it('takes over the query that the backup has for its own playlist', () => {
    const ladder = { variants: [{ uri: 'x/y.m3u8?key=2#z', bandwidth: 1 }], renditions: [] };
    expect(render(single, { pass: 'P', bases: [b], ladder })).toContain(
      `\n${b}x/y.m3u8?key=2&pass=P#z\n`,
    );
  });

  it('puts the pass where a variable ends, knowing whether it brings a query', () => {
    const define = '#EXT-X-DEFINE:NAME="auth",VALUE="?auth=1"\n#EXT-X-DEFINE:NAME="f",VALUE="v"\n';
    const text = `#EXTM3U\n${define}${inf}\n{$f}.m3u8{$auth}\n`;
    expect(render(text, { pass: 'P', bases: [b] })).toBe(
      `#EXTM3U\n${define}${inf}\n{$f}.m3u8{$auth}&pass=P\n${inf}\n${b}v.m3u8?auth=1&pass=P\n`,
    );
  });

  it('leaves out a backup whose ladder does not match, and keeps the others', () => {
    const template = compileMultivariant(bytesOf(single));
    if (template === undefined) throw new Error('not compiled');
    const other = { variants: [], renditions: [] };
    for (let times = 0; times < 2; times += 1) {
      const output = renderMultivariant(template, {
        backups: [
          { base: b, ladder: other },
          { base: c, ladder: template.ladder },
        ],
        repeat: false,
      });
      expect(output).toBe(`#EXTM3U\n${inf}\nv.m3u8\n${inf}\n${c}v.m3u8\n`);
    }
  });

  it('has its own passes but no backups when the origin steers its players', () => {
    const text = `#EXTM3U\n#EXT-X-CONTENT-STEERING:SERVER-URI="/s"\n${inf}\nv.m3u8\n`;
    expect(render(text, { pass: 'P', bases: [b, c], repeat: true })).toBe(
      text.replace('v.m3u8', 'v.m3u8?pass=P'),
    );
  });
});

describe('rendition groups', () => {
  const lines = (text: string) => text.split('\n').filter((line) => line !== '');

  it('are cloned for each backup, and only those that a variant is in', () => {
    const output = lines(render(fixture('groups.m3u8'), { pass: 'P', bases: [b, c] }));
    const media = output.filter((line) => line.startsWith('#EXT-X-MEDIA:'));
    expect(
      media.map((line) => line.replace(/.*GROUP-ID="([^"]*)",NAME="([^"]*)".*/, '$1 $2')),
    ).toEqual([
      'aac English',
      'aac-b1 English',
      'aac-b2 English',
      'aac in the video',
      'aac-b1 in the video',
      'aac-b2 in the video',
      'surround English',
      'surround-b1 English',
      'surround-b2 English',
      'subs Deutsch',
      'subs-b1 Deutsch',
      'subs-b2 Deutsch',
      'cc CC1',
      'unused nobody asks for it',
    ]);
    expect(media[7]).toBe(
      `#EXT-X-MEDIA:TYPE=AUDIO,URI="${b}audio/en-51.m3u8?lang=en&pass=P",GROUP-ID="surround-b1",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="6"`,
    );
    expect(media[13]).toContain('URI="audio/unused.m3u8?pass=P"');
  });

  it('are those of the node, in both rounds, while captions keep their name', () => {
    const output = lines(render(fixture('groups.m3u8'), { bases: [b], repeat: true }));
    const at360 = output.flatMap((line, index) =>
      line.includes('640x360,AUDIO') ? [`${line.split('360,')[1]} ${output[index + 1]}`] : [],
    );
    const captions = 'CLOSED-CAPTIONS="cc"';
    expect(at360).toEqual([
      `AUDIO="aac",SUBTITLES="subs",${captions} video/360.m3u8`,
      `AUDIO="aac-b1",SUBTITLES="subs-b1",${captions} ${b}video/360.m3u8`,
      `AUDIO="aac",SUBTITLES="subs",${captions} video/360.m3u8?round=2`,
      `AUDIO="aac-b1",SUBTITLES="subs-b1",${captions} ${b}video/360.m3u8?round=2`,
    ]);
  });

  it('of one video are listed node by node', () => {
    const output = lines(render(fixture('groups.m3u8'), { bases: [b, c], repeat: true }));
    const at720 = output.flatMap((line, index) =>
      line.includes('1280x720') ? [`${/AUDIO="([^"]*)/.exec(line)?.[1]} ${output[index + 1]}`] : [],
    );
    const round = (query: string) =>
      [
        ['', ''],
        ['-b1', b],
        ['-b2', c],
      ].flatMap(([suffix, base]) => [
        `aac${suffix} ${base}video/720.m3u8${query}`,
        `surround${suffix} ${base}video/720.m3u8${query}`,
      ]);
    expect(at720).toEqual([...round(''), ...round('?round=2')]);
  });

  it('of one video are kept together even when other variants stand between', () => {
    const variant = (bandwidth: number, audio: string) =>
      `#EXT-X-STREAM-INF:BANDWIDTH=${bandwidth},AUDIO="${audio}"\nv${bandwidth}.m3u8\n`;
    const media = ['x', 'y'].map(
      (group) => `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="${group}",NAME="n",URI="${group}.m3u8"\n`,
    );
    const own = [variant(1, 'x'), variant(2, 'x'), variant(1, 'y'), variant(2, 'y')];
    const output = render(`#EXTM3U\n${media.join('')}${own.join('')}`, { bases: [b] });
    expect(output.split('\n').filter((line) => line.includes('v1'))).toEqual([
      'v1.m3u8',
      'v1.m3u8',
      `${b}v1.m3u8`,
      `${b}v1.m3u8`,
    ]);
    expect(output).toContain(`AUDIO="y"\nv1.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="x-b1"`);
  });

  it('of one video that follow each other are listed node by node, whatever each rate is', () => {
    const media = ['x', 'y'].map(
      (group) => `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="${group}",NAME="n",URI="${group}.m3u8"\n`,
    );
    const own = `#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="x"\nv.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2,AUDIO="y"\nv.m3u8\n`;
    const output = render(`#EXTM3U\n${media.join('')}${own}`, { bases: [b] });
    const listed = output.match(/AUDIO="[^"]*"\n.*/g);
    expect(listed).toEqual([
      'AUDIO="x"\nv.m3u8',
      'AUDIO="y"\nv.m3u8',
      `AUDIO="x-b1"\n${b}v.m3u8`,
      `AUDIO="y-b1"\n${b}v.m3u8`,
    ]);
  });

  it('get names that the origin does not have', () => {
    const media = ['a', 'a-b1', 'a-bb2'].map(
      (group) => `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="${group}",NAME="n"\n`,
    );
    const text = `#EXTM3U\n${media.join('')}#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"\nv.m3u8\n`;
    expect(render(text, { bases: [b] })).toContain(`AUDIO="a-bbb1"\n${b}v.m3u8`);
  });

  it('are not renamed when nothing is in them', () => {
    const text = `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="nothing"\nv.m3u8\n`;
    expect(render(text, { bases: [b] })).toContain(`AUDIO="nothing"\n${b}v.m3u8`);
  });
});

describe('what packagers write', () => {
  it('stays, line by line, with the backups of each own variant after its URI', () => {
    const text = fixture('odd-ladder.m3u8');
    const output = render(text, { pass: 'P', bases: [b] });
    const low = '#EXT-X-STREAM-INF:PROGRAM-ID=1, BANDWIDTH = 300000 ,';
    const mid = '#EXT-X-STREAM-INF:,BANDWIDTH=600000,,RESOLUTION=640x360,LIVE';
    const lowUri = 'low,a,b,.mp4.csmil/index.m3u8';
    const midUri = 'QualityLevels(600000)/Manifest(video,format=m3u8-aapl)?key=value';
    expect(output).toBe(
      text
        .replace(`${lowUri}\n`, `${lowUri}?pass=P\n${low}\n${b}${lowUri}?pass=P\n`)
        .replace(
          `${midUri}#start  \n`,
          `${midUri}&pass=P#start  \n${mid}\n${b}${midUri}&pass=P#start\n`,
        ),
    );
  });

  it('is continued with the line ends found there', () => {
    const text = `#EXTM3U\r\n${inf}\r\nv.m3u8\r\r\n${inf}2\r\nw.m3u8`;
    expect(render(text, { bases: [b] })).toBe(
      `#EXTM3U\r\n${inf}\r\nv.m3u8\r\r\n${inf}\r\r\n${b}v.m3u8\r\r\n${inf}2\r\nw.m3u8\r\n${inf}2\r\n${b}w.m3u8`,
    );
  });

  it('keeps a byte order mark', () => {
    expect(render(`\ufeff${single}`, { bases: [b] })).toBe(
      `\ufeff#EXTM3U\n${inf}\nv.m3u8\n${inf}\n${b}v.m3u8\n`,
    );
  });

  it('never has a line put between a variant and its URI', () => {
    const media = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="n",URI="a.m3u8"';
    const audioInf = `${inf},AUDIO="a"`;
    expect(render(`#EXTM3U\n${audioInf}\n${media}\nv.m3u8`, { bases: [b] })).toBe(
      `#EXTM3U\n${audioInf}\n${media}\nv.m3u8
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a-b1",NAME="n",URI="${b}a.m3u8"
${inf},AUDIO="a-b1"\n${b}v.m3u8`,
    );
  });

  it('lists the same variant twice: both get their backups after the second', () => {
    expect(render(`#EXTM3U\n${inf}\nv.m3u8\n${inf}\nv.m3u8\n`, { bases: [b] })).toBe(
      `#EXTM3U\n${inf}\nv.m3u8\n${inf}\nv.m3u8\n${inf}\n${b}v.m3u8\n${inf}\n${b}v.m3u8\n`,
    );
  });
});
