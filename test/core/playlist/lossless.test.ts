import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ladder } from '../../../src/core/playlist/ladder.ts';
import { compareLadders } from '../../../src/core/playlist/ladder-match.ts';
import { mapUris } from '../../../src/core/playlist/map-uris.ts';
import {
  compileMultivariant,
  type MultivariantTemplate,
} from '../../../src/core/playlist/multivariant.ts';
import { renderMultivariant } from '../../../src/core/playlist/render-multivariant.ts';
import { aMediaPlaylist, aMultivariantPlaylist } from '../../support/playlist-arbitraries.ts';
import { bytesOf, textOf } from './playlist-texts.ts';
import { removeInserted } from './remove-inserted.ts';

const pass = 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln-_';
const bases = ['http://node-b.example.net/ch/', 'https://node-c.example.net:8080/tv/ch/'];

/** The same ladder on another node: other file names and group names, the same order. */
function elsewhere(ladder: Ladder): Ladder {
  const group = (id: string | undefined) => (id === undefined ? undefined : `other ${id}`);
  return {
    variants: ladder.variants.map((variant, index) => ({
      ...variant,
      uri: `v${index}.m3u8?s=1`,
      audio: group(variant.audio),
      subtitles: group(variant.subtitles),
      video: group(variant.video),
    })),
    renditions: ladder.renditions.map((rendition, index) => ({
      ...rendition,
      groupId: `other ${rendition.groupId}`,
      uri: rendition.uri === undefined ? undefined : `r${index}.m3u8`,
    })),
  };
}

function render(
  template: MultivariantTemplate,
  options: { backups: number; repeat: boolean; pass: string | undefined },
): string {
  const ladder = elsewhere(template.ladder);
  const backups = bases.slice(0, options.backups).map((base) => ({ base, ladder }));
  return renderMultivariant(template, { ...options, backups });
}

function compiled(text: string): MultivariantTemplate {
  const template = compileMultivariant(bytesOf(text));
  if (template === undefined) throw new Error('the playlist cannot be compiled');
  return template;
}

const someOptions = fc.record({
  backups: fc.integer({ min: 0, max: 2 }),
  repeat: fc.boolean(),
  pass: fc.constantFrom(pass, undefined),
});

/** Generated texts may happen to have nothing but renditions or noise. */
const aMultivariant = aMultivariantPlaylist.filter(
  (text) => compileMultivariant(bytesOf(text)) !== undefined,
);

describe('a multivariant playlist', () => {
  it('comes back byte for byte when what was inserted is removed', () => {
    fc.assert(
      fc.property(aMultivariant, someOptions, (text, options) => {
        const output = render(compiled(text), options);
        expect(removeInserted(output, { bases, pass })).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('is the very text of the origin without pass and backups', () => {
    fc.assert(
      fc.property(aMultivariant, (text) => {
        expect(render(compiled(text), { backups: 0, repeat: true, pass: undefined })).toBe(text);
      }),
    );
  });

  it('lists every backup as often as every rung, unless the template says why not', () => {
    fc.assert(
      fc.property(aMultivariant, fc.boolean(), (text, repeat) => {
        const template = compiled(text);
        const output = render(template, { backups: 2, repeat, pass });
        const listed = bases.map((base) => output.split(`\n${base}v`).length - 1);
        const rounds = template.noBackups === undefined ? (repeat ? 2 : 1) : 0;
        const expected = template.ladder.variants.length * rounds;
        expect(listed).toEqual([expected, expected]);
      }),
    );
  });

  it('matches the same ladder on another node', () => {
    fc.assert(
      fc.property(aMultivariant, (text) => {
        const { ladder, noBackups } = compiled(text);
        if (noBackups === undefined) expect(compareLadders(ladder, elsewhere(ladder))).toEqual([]);
      }),
    );
  });
});

describe('the URIs of a playlist', () => {
  const anyPlaylist = fc.oneof(
    aMultivariantPlaylist,
    aMediaPlaylist.map(({ text }) => text),
  );
  const withoutVariables = anyPlaylist.filter((text) => !text.includes('{$'));

  it('are left alone, bytes and all, when nothing is to change', () => {
    fc.assert(
      fc.property(anyPlaylist, fc.boolean(), (text, sameText) => {
        const bytes = bytesOf(text);
        expect(mapUris(bytes, (uri) => (sameText ? uri : undefined))).toBe(bytes);
      }),
    );
  });

  it('are all that changes, and change back', () => {
    fc.assert(
      fc.property(withoutVariables, (text) => {
        const bytes = bytesOf(text);
        const moved = mapUris(bytes, (uri) => (/%/.test(uri) ? undefined : `~moved/${uri}`));
        const back = mapUris(moved, (uri) => uri.replace('~moved/', ''));
        expect(textOf(back)).toBe(text);
        expect(textOf(moved).replaceAll('~moved/', '')).toBe(text);
      }),
    );
  });
});
