import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseStream } from '../../../src/adapters/http/stream-schema.ts';
import { readStreamsFile } from '../../../src/adapters/system/streams-file.ts';
import { ConfigError } from '../../../src/core/errors.ts';
import { tempFolder } from '../../support/temp-folder.ts';

function fileOf(content: string | Uint8Array): string {
  const path = join(tempFolder(), 'streams.yaml');
  writeFileSync(path, content);
  return path;
}

const streamsIn = (content: string) => readStreamsFile(fileOf(content), parseStream);

function faultsOf(content: string | Uint8Array): readonly string[] {
  try {
    readStreamsFile(fileOf(content), parseStream);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

const ch1 = { name: 'ch1', origin: 'http://127.0.0.1:8888/ch1/index.m3u8', reserve: true };

it('reads YAML, with defaults, comments and anchors', () => {
  const streams = streamsIn(`
# our channels
- name: ch1
  origin: &o http://127.0.0.1:8888/ch1/index.m3u8
- { name: sport/hd, origin: *o, dash: /srv/sport.mpd, group: sport, reserve: false, source: studio 1 }
`);
  expect(streams).toEqual([
    ch1,
    {
      name: 'sport/hd',
      origin: ch1.origin,
      dash: '/srv/sport.mpd',
      group: 'sport',
      reserve: false,
      source: 'studio 1',
    },
  ]);
});

it('reads JSON', () => {
  expect(streamsIn(JSON.stringify([ch1]))).toEqual([ch1]);
  expect(streamsIn('[]')).toEqual([]);
});

it('tells every fault at once, with place, name and field', () => {
  const faults = faultsOf(`
- { name: ch1, origin: http://127.0.0.1/1.m3u8 }
- { name: ../etc, origin: 7, groop: x }
- { name: ch3 }
- { name: ch1, origin: /srv/1 }
- just a text
- { origin: /srv/6, group: "stream:x", reserve: "yes", source: "" }
`);
  expect(faults).toEqual([
    'stream 2 ("../etc"): name must not have "." or ".." between slashes',
    'stream 2 ("../etc"): origin must be a text',
    'stream 2 ("../etc"): does not know "groop"',
    'stream 3 ("ch3"): origin must be set where dash is not',
    'stream 4 ("ch1"): name is that of stream 1, too',
    'stream 5: must be an object',
    'stream 6: name must be a text',
    expect.stringMatching(/^stream 6: group must be 1 to 100/),
    'stream 6: reserve must be true or false',
    expect.stringMatching(/^stream 6: source must be 1 to 100/),
  ]);
});

it.each([
  ['an empty file', '', 'must be a list of streams ("[]" for none)'],
  ['something else than a list', 'ch1: {}', 'must be a list of streams ("[]" for none)'],
  ['half a file', '- {', 'is not YAML or JSON: '],
  ['a field given twice', '- { name: a, name: b }', 'is not YAML or JSON: '],
  ['endless nesting', '['.repeat(5000), 'is not YAML or JSON: '],
  ['an unknown anchor', '- *nothing', 'is not YAML or JSON: '],
  [
    'an anchor that multiplies',
    `[&a [&b [x, x], ${'*b,'.repeat(60)}], ${'*a,'.repeat(60)}]`,
    'is not YAML or JSON: ',
  ],
  ['too many streams', JSON.stringify(Array(1001).fill(ch1)), 'must have at most 1000 streams'],
  ['too large a file', ' '.repeat(1024 * 1024 + 1), 'is larger than 1048576 bytes'],
])('refuses %s', (_, content, fault) => {
  expect(faultsOf(content)).toEqual([expect.stringContaining(fault)]);
});

it('refuses what is not UTF-8', () => {
  expect(faultsOf(new Uint8Array([0x2d, 0x20, 0xff]))).toEqual(['is not UTF-8']);
});

it('shows no line of the file, which may hold a secret of an origin', () => {
  expect(faultsOf('- {name: a, origin: "http://127.0.0.1/a?token=hunter2}').join()).not.toContain(
    'hunter2',
  );
  expect(faultsOf('- {name: a, origin: "http://u:hunter2@127.0.0.1/a"}').join()).not.toContain(
    'hunter2',
  );
});

it('tells why a file cannot be read', () => {
  const folder = tempFolder();
  expect(() => readStreamsFile(folder, parseStream)).toThrow('cannot be read: EISDIR');
  expect(() => readStreamsFile(join(folder, 'none'), parseStream)).toThrow(
    'cannot be read: ENOENT',
  );
});

it('never takes a field named after an object of JavaScript for a setting', () => {
  expect(faultsOf('[{"name":"a","origin":"/a","__proto__":{"group":"x"}}]')).toEqual([
    'stream 1 ("a"): does not know "__proto__"',
  ]);
});
