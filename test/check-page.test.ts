import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkCodes } from '../src/core/check/check-codes.ts';

const page = readFileSync(new URL('../docs/check.md', import.meta.url), 'utf8');

it('the page of checks lists every code once, with area, severity and remedy, and no other', () => {
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| ([a-z]+) \| (error|warning) \| (.+) \|$/gm)];
  const listed = rows.map(([, code, area, severity, remedy]) => [code, area, severity, remedy]);
  const codes = Object.entries(checkCodes).map(([code, { area, severity, remedy }]) => [
    ...[code, area, severity, remedy],
  ]);
  expect(listed).toEqual(codes);
});
