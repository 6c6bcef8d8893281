import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reasonTexts } from '../src/core/reasons.ts';

const page = readFileSync(new URL('../docs/reasons.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(([, code = '', cells = '']) => ({
  code,
  cells: cells.split(' | '),
}));

describe('the page of reasons', () => {
  it('lists every code with its meaning, and no other', () => {
    expect(Object.fromEntries(rows.map(({ code, cells }) => [code, cells[0]]))).toEqual(
      reasonTexts,
    );
  });

  it('lists each code once, in the order of the code', () => {
    expect(rows.map(({ code }) => code)).toEqual(Object.keys(reasonTexts));
  });

  it('says of each where it shows and what to do', () => {
    const unfinished = rows.filter(
      ({ cells }) => cells.length !== 3 || cells.some((cell) => cell.trim() === ''),
    );
    expect(unfinished).toEqual([]);
  });
});
