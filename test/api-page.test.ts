import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorTexts } from '../src/core/errors.ts';

const read = (path: string) => readFileSync(new URL(`../docs/${path}`, import.meta.url), 'utf8');
const page = read('api.md');

describe('the API page', () => {
  it('lists every error code with its meaning, and no other', () => {
    const errors = page.slice(page.indexOf('## Errors'));
    const listed = [...errors.matchAll(/^\| `([a-z_]+)` \| (.+) \|$/gm)].map(([, code, text]) => [
      code,
      text,
    ]);
    expect(Object.fromEntries(listed)).toEqual(errorTexts);
  });

  it('names every path and method of the OpenAPI document', () => {
    const { paths } = JSON.parse(read('openapi.json')) as { paths: Record<string, object> };
    const missing = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .map((method) => `${method.toUpperCase()} ${path.replace('/api/v1', '')}`)
        .filter((call) => !page.includes(`\`${call}`)),
    );
    expect(missing).toEqual([]);
  });
});
