import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { AdminApp } from './admin-environment.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Adds the console at `/`: the files of `folder`, read once, small as they are. Names of assets change with their
 * content, so browsers keep them. A folder that is not there (the console is not built) adds nothing.
 */
export function addConsole(app: AdminApp, folder: URL): void {
  for (const name of filesIn(folder)) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const bytes = new Uint8Array(readFileSync(new URL(name, folder)));
    const isAsset = name.startsWith('assets/');
    app.get(name === 'index.html' ? '/' : `/${name}`, (context) =>
      context.body(bytes, 200, {
        'content-type': type,
        ...(isAsset && { 'cache-control': 'public, max-age=31536000, immutable' }),
      }),
    );
  }
}

function filesIn(folder: URL): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true }).map(String);
  } catch {
    return [];
  }
}
