import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** Every call of a log in the sources: level and event as they stand there. */
const calls = readdirSync(new URL('src', root), { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => [
    ...read(`src/${name}`).matchAll(/\blog(?:\.|\[)(\w+)\]?\(\s*(?:'([^']+)'|`([^`]+)`)/g),
  ])
  .map(([, level, constant, template]) => ({ level, event: constant, template }));

/** `peer ${...}` is one of several events that begin alike. */
const isMadeBy = (event: string) =>
  calls.some(
    ({ template }) => template !== undefined && event.startsWith(`${template.split('$')[0]}`),
  );

const guide = read('docs/operating.md');
const listed = [...guide.matchAll(/^\| `([^`]+)` \| (info|warn|error|warn, error) \|/gm)].map(
  ([, event = '', levels = '']) => ({ event, levels }),
);

describe('the list of log events in the operating guide', () => {
  it('names every event of the code, with its level', () => {
    const missing = calls.filter(
      ({ event, level = '' }) =>
        event !== undefined &&
        level !== 'debug' &&
        !listed.some((row) => row.event === event && row.levels.includes(level)),
    );
    expect(missing).toEqual([]);
  });

  it('names no other, and none twice', () => {
    const names = listed.map(({ event }) => event);
    const known = new Set(calls.map(({ event }) => event));
    expect(names.filter((event) => !known.has(event) && !isMadeBy(event))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(30);
  });
});
