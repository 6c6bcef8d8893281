import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileMultivariant } from '../../../src/core/playlist/multivariant.ts';
import { renderMultivariant } from '../../../src/core/playlist/render-multivariant.ts';
import { aTidyLadder } from '../../support/playlist-arbitraries.ts';
import { hlsJsRungs, hostsByGroup, media3Groups, parseVariants } from './player-models.ts';
import { bytesOf, fixture } from './playlist-texts.ts';

const bases = ['http://b.example.net/', 'http://c.example.net/'];

function render(text: string, backups: number, repeat: boolean): string {
  const template = compileMultivariant(bytesOf(text));
  if (template === undefined) throw new Error('not compiled');
  return renderMultivariant(template, {
    pass: 'P',
    repeat,
    backups: bases.slice(0, backups).map((base) => ({ base, ladder: template.ladder })),
  });
}

const hostOf = (uri: string) => bases.findIndex((base) => uri.startsWith(base)) + 1;

describe('hls.js and Media3', () => {
  it('see as many rungs as the origin has, each on every node in the same order', () => {
    const someBackups = fc.integer({ min: 1, max: 2 });
    fc.assert(
      fc.property(aTidyLadder, someBackups, fc.boolean(), ({ text, rungs }, backups, repeat) => {
        const output = render(text, backups, repeat);
        const nodes = Array.from({ length: backups + 1 }, (_, node) => node);
        const order = repeat ? [...nodes, ...nodes] : nodes;
        const seen = hlsJsRungs(output);
        expect(seen).toHaveLength(rungs);
        for (const { pathways } of seen) {
          expect(pathways.map(({ uri }) => hostOf(uri))).toEqual(order);
          expect(new Set(pathways.map(({ uri }) => uri)).size).toBe(order.length);
        }
        expect(media3Groups(output).map((group) => group.size)).toEqual(
          Array.from({ length: rungs }, () => order.length),
        );
      }),
    );
  });

  it('do not take AVC and HEVC of one size and rate for copies (report 5)', () => {
    const output = render(fixture('ladder-with-twins.m3u8'), 2, true);
    const rungs = hlsJsRungs(output);
    expect(rungs.map(({ pathways }) => pathways.length)).toEqual([6, 6, 6, 6]);
    expect(media3Groups(output).map((group) => group.size)).toEqual([6, 6, 6, 6]);
    for (const { pathways } of rungs) {
      const folders = pathways.map(({ uri }) => /(avc|hevc)\/\d+/.exec(uri)?.[0]);
      expect(new Set(folders).size).toBe(1);
    }
  });

  it('find every audio group of a rung on every node', () => {
    const [rung720, rung360] = hlsJsRungs(render(fixture('groups.m3u8'), 2, true));
    const nodes = ['', '-b1', '-b2'];
    const both = nodes.map((suffix) => [`aac${suffix}`, `surround${suffix}`]);
    expect(rung720?.pathways.map(({ audioGroups }) => audioGroups)).toEqual([...both, ...both]);
    const one = nodes.map((suffix) => [`aac${suffix}`]);
    expect(rung360?.pathways.map(({ audioGroups }) => audioGroups)).toEqual([...one, ...one]);
  });

  it('find no rendition group with URIs of two nodes (report 4)', () => {
    const output = render(fixture('groups.m3u8'), 2, true);
    const groups = hostsByGroup(output);
    expect(groups.size).toBe(3 * 3 + 2);
    for (const hosts of groups.values()) expect(hosts.size).toBeLessThanOrEqual(1);
    for (const { attributes, uri } of parseVariants(output)) {
      const audio = groups.get(`AUDIO ${attributes.get('AUDIO')}`);
      expect([...(audio ?? [])]).toEqual([/^https?:\/\/([^/]*)/.exec(uri)?.[1] ?? '']);
    }
  });

  it('find the lines of a rung equal but for the names of its groups', () => {
    const output = render(fixture('groups.m3u8'), 2, true);
    const lines = output.match(/#EXT-X-STREAM-INF:.*/g) ?? [];
    const origin = fixture('groups.m3u8').match(/#EXT-X-STREAM-INF:.*/g) ?? [];
    expect(lines).toHaveLength(origin.length * 6);
    expect(new Set(lines.map((line) => line.replace(/-b\d"/g, '"')))).toEqual(new Set(origin));
  });
});
