import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AdminApp } from './admin-environment.ts';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Understudy REST API</title>
<link rel="icon" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<main id="api"></main>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

/** The token stays in the page: it is gone when the page is. */
const start = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#api',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  tryItOutEnabled: false,
});
`;

const require = createRequire(import.meta.url);

/** As their package ships them. */
const files = [
  ['swagger-ui.css', 'text/css; charset=utf-8', require.resolve('swagger-ui-dist/swagger-ui.css')],
  [
    'swagger-ui-bundle.js',
    'text/javascript; charset=utf-8',
    require.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  ],
  ['favicon-32x32.png', 'image/png', require.resolve('swagger-ui-dist/favicon-32x32.png')],
] as const;

/** Adds the page for people at `/docs`, with everything it needs: it works without internet. Each file is read once. */
export function addApiPage(app: AdminApp): void {
  app.get('/docs', (context) => context.html(page));
  app.get('/docs/start.js', (context) =>
    context.body(start, 200, { 'content-type': 'text/javascript; charset=utf-8' }),
  );
  for (const [name, type, path] of files) {
    const bytes = readOnce(path);
    app.get(`/docs/${name}`, async (context) =>
      context.body(await bytes(), 200, { 'content-type': type, 'cache-control': 'max-age=3600' }),
    );
  }
}

/** The bytes of a file from the first time they are wanted; what cannot be read is tried again. */
function readOnce(path: string): () => Promise<Uint8Array<ArrayBuffer>> {
  let bytes: Promise<Uint8Array<ArrayBuffer>> | undefined;
  return () => {
    bytes ??= readFile(path).catch((error: unknown) => {
      bytes = undefined;
      throw error;
    });
    return bytes;
  };
}
