import { readFileSync } from 'node:fs';

/** Version of the agent, from the package beside `src` and `dist` alike. */
export const version: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version;
