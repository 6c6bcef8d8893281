import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config.ts';
import { configVariables } from './support/config-variables.ts';

/** `.env.example` as the schema has it. After a change: `npx vitest run test/documents.test.ts -u`. */
function envExample(): string {
  const entries = configVariables.map(({ name, meaning, unit, default: value, isSet }) =>
    [
      `# ${meaning}`,
      `# ${unit === undefined ? '' : `unit: ${unit}; `}default: ${value === '' ? 'empty' : value}`,
      `#${name}=${isSet ? value : ''}`,
    ].join('\n'),
  );
  const head = [
    '# Settings of one node. Copy to .env and take the "#" away where a value differs from its default.',
    '# A variable of the real environment wins over this file. Unknown UNDERSTUDY_ names are an error.',
  ].join('\n');
  return `${[head, ...entries].join('\n\n')}\n`;
}

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

describe('the documents', () => {
  it('list in .env.example every variable with unit, default and meaning', async () => {
    await expect(envExample()).toMatchFileSnapshot('../.env.example');
  });

  it('mean by .env.example the defaults, also when every line of it is used', () => {
    const lines = read('.env.example').replaceAll(/^#(?=UNDERSTUDY_)/gm, '');
    expect(loadConfig(parseEnv(lines), 'a')).toEqual(loadConfig({}, 'a'));
  });

  it('name every variable and its default in the operating guide', () => {
    const guide = read('docs/operating.md');
    const missing = configVariables.filter(
      ({ name, default: value, isSet }) =>
        !guide.includes(`| \`${name}\` | ${isSet && value !== '' ? `\`${value}\`` : ''}`),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });
});
