import type { HttpBindings } from '@hono/node-server';
import { OpenAPIHono } from '@hono/zod-openapi';
import { secureHeaders } from 'hono/secure-headers';
import type { Administer } from '../../agent/administer.ts';
import type { Clock, Log } from '../../agent/ports.ts';
import { requireToken } from './admin-auth.ts';
import { adminRoutes } from './admin-routes.ts';
import { keyView } from './admin-schemas.ts';
import { limitBody } from './body-limit.ts';
import { problem, problemOf } from './problem.ts';

/** Version of the API, not of the agent: it changes when a caller has to. */
const description = {
  openapi: '3.1.0',
  info: {
    title: 'Understudy',
    version: '1',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
};

type AdminApp = OpenAPIHono<{ Bindings: Partial<HttpBindings> }>;

/**
 * The listener for operators and scripts (`docs/api.md`). Everything below `/api/` needs the bearer token; every fault
 * is `application/problem+json` with a code.
 */
export function createAdminApp(deps: {
  readonly administer: Administer;
  readonly accepts: (presented: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}): AdminApp {
  const app: AdminApp = new OpenAPIHono({
    defaultHook: (result) => (result.success ? undefined : invalid(result.error.issues)),
  });
  app.use(
    secureHeaders({
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    }),
    async (context, next) => {
      await next();
      context.header('cache-control', 'no-store');
    },
  );
  app.use('/api/*', requireToken(deps));
  app.use(limitBody);
  addReads(app, deps);
  addChanges(app, deps);
  addProbes(app, deps);
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
  });
  app.doc31('/openapi.json', description);
  refuseOtherMethods(app);
  app.notFound(() => problem('not_found'));
  app.onError((error, { req: { path, method } }) => problemOf(error, { path, method }, deps.log));
  return app;
}

type Deps = Parameters<typeof createAdminApp>[0];

function addReads(app: AdminApp, { administer, clock }: Deps): void {
  app.openapi(adminRoutes.node, (context) => context.json(administer.node(clock.now()), 200));
  app.openapi(adminRoutes.streams, (context) =>
    context.json({ streams: administer.streams() }, 200),
  );
  app.openapi(adminRoutes.stream, (context) =>
    context.json(administer.stream(context.req.valid('param').name), 200),
  );
  app.openapi(adminRoutes.groups, (context) =>
    context.json({ groups: administer.groups(clock.now()) }, 200),
  );
  app.openapi(adminRoutes.group, (context) =>
    context.json(administer.group(context.req.valid('param').name, clock.now()), 200),
  );
  app.openapi(adminRoutes.peers, (context) => context.json(administer.peers(clock.now()), 200));
  // Parsed on the way out: what the schema does not name, a secret above all, stays here.
  app.openapi(adminRoutes.key, (context) => context.json(keyView.parse(administer.key()), 200));
  app.openapi(adminRoutes.sessions, (context) => {
    const { offset, limit, ...filter } = context.req.valid('query');
    return context.json(administer.sessions({ offset, limit, filter }), 200);
  });
}

function addChanges(app: AdminApp, { administer, clock, log }: Deps): void {
  app.openapi(adminRoutes.putStream, (context) => {
    const { name } = context.req.valid('param');
    const { outcome, stream } = administer.putStream({ name, ...context.req.valid('json') });
    log.info('stream put', { stream: name, outcome });
    return context.json(stream, outcome === 'added' ? 201 : 200);
  });
  app.openapi(adminRoutes.removeStream, (context) => {
    const { name } = context.req.valid('param');
    administer.removeStream(name);
    log.info('stream removed', { stream: name });
    return context.body(null, 204);
  });
  app.openapi(adminRoutes.rotateKey, (context) => {
    log.info('key rotation asked for');
    return context.json(keyView.parse(administer.rotateKey(clock.now())), 200);
  });
}

function addProbes(app: AdminApp, { administer }: Deps): void {
  app.openapi(adminRoutes.healthz, (context) => context.json({ ok: true as const }, 200));
  app.openapi(adminRoutes.readyz, (context) => {
    administer.assertReady();
    return context.json({ ok: true as const }, 200);
  });
}

function invalid(issues: readonly { path: readonly PropertyKey[]; message: string }[]): Response {
  const faults = issues.map(({ path, message }) => [...path.map(String), message].join(' '));
  return problem('invalid', { detail: faults.join('; '), faults });
}

/** 405 with the methods there are, for every path of the API. */
function refuseOtherMethods(app: AdminApp): void {
  const methods = new Map<string, string[]>([['/openapi.json', ['GET']]]);
  for (const { path, method } of Object.values(adminRoutes))
    methods.set(path, [...(methods.get(path) ?? []), method.toUpperCase()]);
  for (const [path, allowed] of methods) {
    const allow = allowed.flatMap((method) => (method === 'GET' ? [method, 'HEAD'] : [method]));
    app.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), () =>
      problem('method_not_allowed', { headers: { allow: allow.join(', ') } }),
    );
  }
}
