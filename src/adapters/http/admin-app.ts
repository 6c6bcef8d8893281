import { OpenAPIHono } from '@hono/zod-openapi';
import { secureHeaders } from 'hono/secure-headers';
import type { Administer } from '../../agent/administer.ts';
import type { Clock, Log } from '../../agent/ports.ts';
import { pageByName } from '../../core/page.ts';
import { withoutSecrets } from '../../core/stream/without-secrets.ts';
import { addAccess } from './admin-access.ts';
import { noteChanges } from './admin-audit.ts';
import { type CallerOf, requireToken } from './admin-auth.ts';
import { addCoverage } from './admin-coverage.ts';
import { addDrills } from './admin-drills.ts';
import type { AdminApp } from './admin-environment.ts';
import { addLive } from './admin-live.ts';
import { adminRoutes } from './admin-routes.ts';
import { keyView } from './admin-schemas.ts';
import { addViewers } from './admin-viewers.ts';
import { addApiPage } from './api-page.ts';
import { limitBody } from './body-limit.ts';
import { addConsole } from './console-files.ts';
import { problem, problemOf } from './problem.ts';
import { assertVersion, versionOf } from './stream-version.ts';

/** Version of the API, not of the agent: it changes when a caller has to. */
const description = {
  openapi: '3.1.0',
  info: {
    title: 'Understudy',
    version: '1',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
};

/** Pages get scripts, styles and answers from here only, and run nothing that stands in the page itself. */
const policy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

/**
 * The listener for operators and scripts (`docs/api.md`). Everything below `/api/` needs the bearer token; every fault
 * is `application/problem+json` with a code.
 */
export function createAdminApp(deps: {
  readonly administer: Administer;
  /** Whose a bearer token is. */
  readonly callerOf: CallerOf;
  /** CIDRs whose word on where a request comes from is believed. */
  readonly trustedProxies: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  /** What Prometheus reads. */
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
  /** Where the built console is. */
  readonly consoleFolder: URL;
  /** Aborted when the agent stops: what lasts ends. */
  readonly stopping: AbortSignal;
}): AdminApp {
  const app: AdminApp = new OpenAPIHono({
    defaultHook: (result) => (result.success ? undefined : invalid(result.error.issues)),
  });
  app.use(secureHeaders({ contentSecurityPolicy: policy }), async (context, next) => {
    await next();
    if (!context.res.headers.has('cache-control')) context.header('cache-control', 'no-store');
  });
  app.use('/api/*', requireToken(deps));
  app.use('/api/*', noteChanges({ ...deps, note: deps.administer.note }));
  app.use(limitBody);
  addReads(app, deps);
  addChanges(app, deps);
  addAccess(app, deps);
  addCoverage(app, deps);
  addDrills(app, deps);
  addLive(app, deps);
  addViewers(app, deps);
  addApiPage(app);
  addConsole(app, deps.consoleFolder);
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
  app.openapi(adminRoutes.streams, (context) => {
    const { cursor, limit, ...filter } = context.req.valid('query');
    const found = administer.streams(filter);
    const { page: streams, nextCursor } = pageByName(found, ({ name }) => name, { cursor, limit });
    return context.json({ streams, nextCursor }, 200);
  });
  app.openapi(adminRoutes.stream, (context) => {
    const { name } = context.req.valid('param');
    const stream = administer.stream(name);
    return context.json(stream, 200, { etag: versionOf(administer.settings(name) ?? stream) });
  });
  app.openapi(adminRoutes.groups, (context) => {
    const { cursor, limit, state } = context.req.valid('query');
    const found = administer
      .groups(clock.now())
      .filter((group) => state === undefined || group.state === state);
    const { page: groups, nextCursor } = pageByName(found, ({ name }) => name, { cursor, limit });
    return context.json({ groups, nextCursor }, 200);
  });
  app.openapi(adminRoutes.group, (context) =>
    context.json(administer.group(context.req.valid('param').name, clock.now()), 200),
  );
  app.openapi(adminRoutes.peers, (context) => {
    const { reachability } = context.req.valid('query');
    const { peers, strangers } = administer.peers(clock.now());
    const found = peers.filter(
      (peer) => reachability === undefined || peer.reachability === reachability,
    );
    return context.json({ peers: found, strangers }, 200);
  });
  // Parsed on the way out: what the schema does not name, a secret above all, stays here.
  app.openapi(adminRoutes.key, (context) => context.json(keyView.parse(administer.key()), 200));
  app.openapi(adminRoutes.sessions, (context) => {
    const { cursor, limit, ...filter } = context.req.valid('query');
    const offset = Number(cursor ?? 0);
    const page = administer.sessions({ offset, limit, filter });
    const next = offset + page.sessions.length;
    const nextCursor = next < page.total && next > offset ? String(next) : undefined;
    return context.json({ ...page, nextCursor }, 200);
  });
  app.openapi(adminRoutes.alerts, (context) =>
    context.json({ alerts: administer.alerts(context.req.valid('query').state) }, 200),
  );
  app.openapi(adminRoutes.forecast, (context) =>
    context.json({ forecasts: administer.forecast(clock.now()) }, 200),
  );
  app.openapi(adminRoutes.history, (context) => context.json(administer.history(), 200));
  app.openapi(adminRoutes.explain, async (context) =>
    context.json(await administer.explain(context.req.valid('json'), clock.now()), 200),
  );
}

function addChanges(app: AdminApp, { administer, clock, log }: Deps): void {
  app.openapi(adminRoutes.putStream, (context) => {
    const { name } = context.req.valid('param');
    const before = administer.settings(name);
    assertVersion(context.req.valid('header'), before);
    const after = { name, ...context.req.valid('json') };
    const { outcome, stream } = administer.putStream(after);
    const etag = versionOf(after);
    if (before !== undefined && versionOf(before) === etag) context.set('change', 'nothing');
    else {
      context.set('change', {
        before: before && withoutSecrets(before),
        after: withoutSecrets(after),
      });
      log.info('stream put', { stream: name, outcome });
    }
    return context.json(stream, outcome === 'added' ? 201 : 200, { etag });
  });
  app.openapi(adminRoutes.removeStream, (context) => {
    const { name } = context.req.valid('param');
    const before = administer.settings(name);
    if (before !== undefined) assertVersion(context.req.valid('header'), before);
    administer.removeStream(name);
    context.set('change', { before: before && withoutSecrets(before) });
    log.info('stream removed', { stream: name });
    return context.body(null, 204);
  });
  app.openapi(adminRoutes.testAlerts, async (context) => {
    log.info('test alert asked for');
    return context.json({ targets: await administer.testAlerts(clock.now()) }, 200);
  });
  app.openapi(adminRoutes.rotateKey, (context) => {
    log.info('key rotation asked for');
    const before = { newest: administer.key().keys[0]?.id };
    const view = administer.rotateKey(clock.now());
    context.set('change', { before, after: { newest: view.keys[0]?.id } });
    return context.json(keyView.parse(view), 200);
  });
}

function addProbes(app: AdminApp, { administer, metrics }: Deps): void {
  app.openapi(adminRoutes.metrics, async (context) =>
    context.text(await metrics.text(), 200, { 'content-type': metrics.contentType }),
  );
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
