import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mapUris } from '../../../src/core/playlist/map-uris.ts';
import { readMediaPlaylist } from '../../../src/core/playlist/media-playlist.ts';
import { compileMultivariant } from '../../../src/core/playlist/multivariant.ts';
import { renderMultivariant } from '../../../src/core/playlist/render-multivariant.ts';
import { textOf } from './playlist-texts.ts';
import { removeInserted } from './remove-inserted.ts';

const corpus = new URL('../../../../shared/corpus/hls/', import.meta.url);
const isHere = existsSync(corpus);
const files = isHere
  ? readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.m3u8?$/.test(name),
    )
  : [];

describe.skipIf(!isHere)('playlists of real packagers (needs ../shared/corpus/hls)', () => {
  it('are many', () => {
    expect(files.length).toBeGreaterThan(100);
  });

  it.each(files)('%s loses nothing', (name) => {
    const bytes = new Uint8Array(readFileSync(new URL(name, corpus)));
    expect(mapUris(bytes, (uri) => uri)).toBe(bytes);

    const moved = mapUris(bytes, (uri) => (uri.includes('%') ? undefined : `~moved/${uri}`));
    const text = textOf(bytes);
    if (!text.includes('{$')) expect(textOf(moved).replaceAll('~moved/', '')).toBe(text);

    const template = compileMultivariant(bytes);
    if (template === undefined) return;
    expect(renderMultivariant(template, { backups: [], repeat: true })).toBe(text);
    const bases = ['http://node-b.example/s/', 'https://node-c.example/s/'];
    const backups = bases.map((base) => ({ base, ladder: template.ladder }));
    const output = renderMultivariant(template, { pass: 'a.b-c_d', backups, repeat: true });
    expect(removeInserted(output, { bases, pass: 'a.b-c_d' })).toBe(text);
    const variants = template.noBackups === undefined ? template.ladder.variants.length : 0;
    expect(output.split(/\nhttps?:\/\/node-[bc]\.example\/s\//).length - 1).toBe(variants * 4);
  });

  it('are all read, but for the two without target duration', () => {
    const unread = files.filter((name) => {
      const bytes = new Uint8Array(readFileSync(new URL(name, corpus)));
      return !compileMultivariant(bytes) && !readMediaPlaylist(bytes);
    });
    expect(unread.sort()).toEqual([
      'master/m3u8-parser-parser-L1441.m3u8',
      'media/catalyst-api-unauthorised.m3u8',
      'media/shaka-player-hls_parser_unit-L2210.m3u8',
      'quirks/cr-only-master.m3u8',
      'quirks/iptv-catchup.m3u',
    ]);
  });
});
