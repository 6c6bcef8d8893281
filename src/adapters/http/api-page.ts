import { readFileSync } from 'node:fs';
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
  ['swagger-ui.css', 'text/css', require.resolve('swagger-ui-dist/swagger-ui.css')],
  [
    'swagger-ui-bundle.js',
    'text/javascript',
    require.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  ],
  ['favicon-32x32.png', 'image/png', require.resolve('swagger-ui-dist/favicon-32x32.png')],
] as const;

/** Adds the page for people at `/docs`, with everything it needs: it works without internet. */
export function addApiPage(app: AdminApp): void {
  app.get('/docs', (context) => context.html(page));
  app.get('/docs/start.js', (context) =>
    context.body(start, 200, { 'content-type': 'text/javascript; charset=utf-8' }),
  );
  for (const [name, type, path] of files)
    app.get(`/docs/${name}`, (context) =>
      context.body(new Uint8Array(readFileSync(path)), 200, {
        'content-type': `${type}; charset=utf-8`,
        'cache-control': 'max-age=3600',
      }),
    );
}
