import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { OpenAPIHono } from '@hono/zod-openapi';
import { expect, it } from 'vitest';
import type { AdminApp } from '../../../src/adapters/http/admin-environment.ts';
import { addConsole } from '../../../src/adapters/http/console-files.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const script = 'export const words = "words";\n'.repeat(100);

function consoleOf(): AdminApp {
  const folder = tempFolder();
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<title>Understudy</title>');
  writeFileSync(join(folder, 'assets', 'index-1.js'), script);
  writeFileSync(join(folder, 'notes.txt'), 'not for browsers');
  const app: AdminApp = new OpenAPIHono();
  addConsole(app, new URL(`${pathToFileURL(folder)}/`));
  return app;
}

it('files of the console come packed to who can unpack them, and are kept when they never change', async () => {
  const app = consoleOf();
  const packed = await app.request('/assets/index-1.js', {
    headers: { 'accept-encoding': 'br, gzip' },
  });
  expect(Object.fromEntries(packed.headers)).toMatchObject({
    ...{ 'content-type': 'text/javascript; charset=utf-8', 'content-encoding': 'gzip' },
    ...{ vary: 'accept-encoding', 'cache-control': 'public, max-age=31536000, immutable' },
  });
  const bytes = new Uint8Array(await packed.arrayBuffer());
  expect(bytes.length).toBeLessThan(script.length / 10);
  expect(gunzipSync(bytes).toString()).toBe(script);
  for (const accepted of ['', 'br', 'gzip;q=0']) {
    const plain = await app.request('/', { headers: { 'accept-encoding': accepted } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.headers.get('cache-control')).toBeNull();
    expect(await plain.text()).toBe('<title>Understudy</title>');
  }
  expect((await app.request('/notes.txt')).status).toBe(404);
});
