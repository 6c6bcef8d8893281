import { expect, it } from 'vitest';
import { createLog } from '../../../src/adapters/system/log.ts';

function logged(level: 'debug' | 'info' = 'info') {
  const lines: string[] = [];
  const log = createLog({ level, node: 'node-a', sink: { write: (line) => lines.push(line) } });
  return { log, lines };
}

it('writes one JSON line per event with time, level and node', () => {
  const { log, lines } = logged();
  const before = Date.now();
  log.warn('peer unreachable', { peer: 'node-b', count: 2 });
  log.info('started');
  expect(lines.every((line) => line.endsWith('}\n') && line.split('\n').length === 2)).toBe(true);
  const [first, second] = lines.map((line) => JSON.parse(line));
  expect(first).toEqual({
    level: 'warn',
    at: expect.any(Number),
    node: 'node-a',
    event: 'peer unreachable',
    peer: 'node-b',
    count: 2,
  });
  expect(first.at).toBeGreaterThanOrEqual(before);
  expect(second).toMatchObject({ level: 'info', event: 'started' });
});

it('leaves out what is below its level', () => {
  const { log, lines } = logged();
  log.debug('served');
  expect(lines).toEqual([]);
  const all = logged('debug');
  all.log.debug('served');
  expect(all.lines).toHaveLength(1);
});

it('shows an error with text, code and stack', () => {
  const { log, lines } = logged();
  log.error('cycle failed', { cause: Object.assign(new Error('disk is full'), { code: 'x' }) });
  const { cause } = JSON.parse(lines[0] ?? '');
  expect(cause).toMatchObject({ message: 'disk is full', code: 'x' });
  expect(cause.stack).toContain('log.test.ts');
});

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';

it.each([
  ['a URL', { url: `http://b/ch1/index.m3u8?x=1&pass=${jwt}&y=2` }, '&y=2'],
  ['a pass of another form', { path: 'ch1?pass=hunter2' }, 'ch1?pass='],
  ['an encoded URL', { url: 'u%3Fpass%3Dhunter2&z' }, '&z'],
  ['a bare pass', { note: `got ${jwt} here` }, ' here'],
  ['a cut one', { note: `got ${jwt.slice(0, 30)}` }, 'got '],
  ['a header', { header: 'Authorization: Bearer hunter2' }, 'Authorization: Bearer '],
  ['something deep', { a: [{ b: `?pass=${jwt}` }] }, '?pass='],
  ['an error', { cause: new Error(`bad ?pass=${jwt} end`) }, ' end'],
])('strikes a pass out of %s', (_, fields, kept) => {
  const { log, lines } = logged();
  log.error('event', fields);
  expect(lines[0]).not.toMatch(/hunter2|eyJ|c2lnbmF0dXJl/);
  expect(lines[0]).toContain(kept);
  expect(() => JSON.parse(lines[0] ?? '')).not.toThrow();
});

it('leaves ordinary words alone', () => {
  const { log, lines } = logged();
  log.info('pass refused', { reason: 'pass-expired', bypass: 'x=1', compass: 'north' });
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ reason: 'pass-expired', bypass: 'x=1' });
});
