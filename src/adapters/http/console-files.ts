import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { AdminApp } from './admin-environment.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Adds the console at `/`: the files of `folder`, read and packed once. Names of assets change with their
 * content, so browsers keep them. A folder that is not there (the console is not built) adds nothing.
 */
export function addConsole(app: AdminApp, folder: URL): void {
  for (const name of filesIn(folder)) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const bytes = new Uint8Array(readFileSync(new URL(name, folder)));
    const packed = new Uint8Array(gzipSync(bytes));
    const isAsset = name.startsWith('assets/');
    const headers = {
      'content-type': type,
      vary: 'accept-encoding',
      ...(isAsset && { 'cache-control': 'public, max-age=31536000, immutable' }),
    };
    app.get(name === 'index.html' ? '/' : `/${name}`, (context) =>
      /\bgzip\b(?!;q=0)/.test(context.req.header('accept-encoding') ?? '')
        ? context.body(packed, 200, { ...headers, 'content-encoding': 'gzip' })
        : context.body(bytes, 200, headers),
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
