import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Hono } from 'hono';
import type { DemoNode } from './demo-node.ts';
import type { GroupView } from './group-view.ts';

const types = { html: 'text/html', css: 'text/css', js: 'text/javascript' } as const;

/**
 * The player page of the demo and the switches behind its buttons: `GET /state`, `POST /kill/{node}`,
 * `POST /start/{node}`. Other web pages must not pull the plug: a foreign `Origin` gets 403.
 */
export function createDemoApp(options: {
  readonly nodes: readonly DemoNode[];
  readonly viewGroup: () => Promise<GroupView | undefined>;
  readonly say: (text: string) => void;
}): Hono {
  const { nodes, viewGroup, say } = options;
  const app = new Hono();
  const policy = contentPolicy(nodes);

  for (const [path, file, type] of pageFiles()) {
    app.get(path, (context) =>
      context.body(new Uint8Array(readFileSync(file)), 200, {
        'Content-Type': `${types[type]}; charset=utf-8`,
        'Content-Security-Policy': policy,
        'Cache-Control': 'no-cache',
      }),
    );
  }

  app.get('/state', async (context) => {
    const group = await viewGroup();
    return context.json({
      nodes: nodes.map((node) => ({
        id: node.id,
        url: node.publicUrl,
        adminUrl: node.adminUrl,
        isRunning: node.isRunning(),
        downMs: node.downMs(),
        member: group?.members.find(({ node: id }) => id === node.id) ?? null,
      })),
      group: group === undefined ? null : { state: group.state, problems: group.problems },
    });
  });

  app.post('/:verb{kill|start}/:id', async (context) => {
    const { verb, id } = context.req.param();
    if (isForeign(context.req.header('Origin'), context.req.header('Host'))) {
      return context.text('only the page of the demo may do this\n', 403);
    }
    const node = nodes.find((candidate) => candidate.id === id);
    if (node === undefined) {
      return context.text(
        `no such node; there are ${nodes.map((one) => one.id).join(', ')}\n`,
        404,
      );
    }
    if (verb === 'kill') {
      await node.kill();
    } else {
      node.start();
    }
    const text = `${node.id} ${verb === 'kill' ? 'killed' : 'started'}`;
    say(text);
    return context.text(`${text}\n`);
  });
  return app;
}

function pageFiles(): readonly (readonly [string, string | URL, keyof typeof types])[] {
  const page = new URL('./page/', import.meta.url);
  const require = createRequire(import.meta.url);
  return [
    ['/', new URL('index.html', page), 'html'],
    ['/base.css', new URL('base.css', page), 'css'],
    ['/player.css', new URL('player.css', page), 'css'],
    ['/player.js', new URL('player.js', page), 'js'],
    ['/picture-meter.js', new URL('picture-meter.js', page), 'js'],
    ['/hls.js', require.resolve('hls.js/dist/hls.min.js'), 'js'],
  ];
}

/** Only own files and the three nodes; hls.js needs `blob:` for its worker and the media source. */
function contentPolicy(nodes: readonly DemoNode[]): string {
  const viewers = nodes.map(({ publicUrl }) => publicUrl).join(' ');
  return [
    "default-src 'self'",
    `connect-src 'self' ${viewers}`,
    'img-src data:',
    'media-src blob:',
    'worker-src blob:',
  ].join('; ');
}

function isForeign(origin: string | undefined, host: string | undefined): boolean {
  return origin !== undefined && origin !== `http://${host}`;
}
