import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reasonsRu } from '../../src/console/words/reasons-ru.ts';
import { remediesRu } from '../../src/console/words/remedies-ru.ts';
import { remedyOf } from '../../src/core/alert/remedies.ts';
import { type ReasonCode, reasonTexts } from '../../src/core/reasons.ts';

const codes = Object.keys(reasonTexts) as ReasonCode[];

describe('the console in Russian', () => {
  it('has a text for every reason, and for no other', () => {
    expect(Object.keys(reasonsRu).sort()).toEqual([...codes].sort());
  });

  it('says what to do wherever the English one does', () => {
    const known = codes.filter((code) => !remedyOf(code).startsWith('see "'));
    expect(known.length).toBeGreaterThan(20);
    expect(known.filter((code) => remediesRu[code] === undefined)).toEqual([]);
  });

  it('is written in Russian', () => {
    const texts = [...Object.values(reasonsRu), ...Object.values(remediesRu)];
    expect(texts.filter((text) => !/[а-яё]{2}/i.test(text))).toEqual([]);
  });
});

it('the page itself runs nothing and styles nothing', () => {
  const page = readFileSync(new URL('../../src/console/index.html', import.meta.url), 'utf8');
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
});
