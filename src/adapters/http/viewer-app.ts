import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { Answer } from '../../agent/answer.ts';
import type { Clock, Log, Meter } from '../../agent/ports.ts';
import type { Viewing } from '../../agent/viewing.ts';
import { connectionOf, createObserver } from './connection.ts';
import { socketBehind } from './hop.ts';
import { respond } from './respond.ts';

/** Longest path and query that are looked at, characters; longer ones are malformed. A pass far too long still fits, to be refused as what it is. */
const urlLengthMax = 12 * 1024;

type Environment = { Bindings: Partial<HttpBindings> };

/** The listener for viewers (`docs/architecture.md`, "A request"). */
export function createViewerApp(deps: {
  readonly viewing: Viewing;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter?: Meter | undefined;
  readonly trustedProxies: readonly string[];
  /** Whether requests come from workers, which say whose they are. */
  readonly isBehindWorkers?: boolean | undefined;
}): Hono<Environment> {
  const app = new Hono<Environment>();
  // Any page may read every answer, refusals too: passes travel in the query, never in cookies (`docs/players.md`, rule 27).
  const common = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers':
      'X-Understudy-Node, X-Understudy-Reason, X-Understudy-Missing-Seconds, Content-Length, Content-Range, Date',
    'x-understudy-node': deps.nodeId,
  };
  const methods = 'GET, HEAD, OPTIONS';
  // Behind a proxy, or a worker, one connection serves many viewers.
  const isShared = deps.trustedProxies.length > 0 || deps.isBehindWorkers === true;
  const observe = createObserver(deps.trustedProxies);
  const send = (context: Context<Environment>, answer: Answer) =>
    respond(answer, common, { method: context.req.method, outgoing: context.env?.outgoing });

  app.options('*', () => {
    const headers = {
      ...common,
      'access-control-allow-methods': methods,
      // A wildcard does not stand for this one.
      'access-control-allow-headers': 'Authorization, *',
      'access-control-max-age': '86400',
    };
    return new Response(null, { status: 204, headers });
  });

  app.get('*', async (context) => {
    const url = context.req.url;
    const pathAt = url.indexOf('/', url.indexOf('//') + 2);
    if (url.length - pathAt > urlLengthMax)
      return send(context, { kind: 'refusal', status: 400, reason: 'path-invalid' });
    const queryAt = url.indexOf('?', pathAt);
    const incoming = context.env?.incoming;
    const header = headersOf(context);
    const now = deps.clock.now();
    const answer = await deps.viewing.open({
      viewer: observe(deps.isBehindWorkers ? socketBehind(header) : incoming?.socket, header),
      host: url.slice(url.indexOf('//') + 2, pathAt).toLowerCase(),
      path: url.slice(pathAt + 1, queryAt < 0 ? undefined : queryAt),
      query: queryAt < 0 ? '' : url.slice(queryAt + 1),
      range: header('range'),
      bearer: bearerIn(header('authorization')),
      userAgent: header('user-agent'),
      connection: isShared ? undefined : connectionOf(incoming),
      now,
    });
    if (answer.kind !== 'cut')
      deps.meter?.answered({
        kind: answer.kind,
        reason: answer.kind === 'file' ? undefined : answer.reason,
        decidedInMs: deps.clock.now().monoMs - now.monoMs,
      });
    return send(context, answer);
  });

  // Not a route for every method: hono answers faster where one handler alone is in question.
  app.notFound(() => new Response(null, { status: 405, headers: { ...common, allow: methods } }));

  app.onError((error, context) => {
    deps.log.error('viewer request failed', { path: context.req.path, cause: error.stack });
    return send(context, { kind: 'refusal', status: 404, reason: 'internal-error' });
  });
  return app;
}

/** Headers as Node has read them: to make web headers of them costs more than most answers. */
function headersOf(context: Context<Environment>): (name: string) => string | undefined {
  const headers = context.env?.incoming?.headers;
  if (headers === undefined) return (name) => context.req.header(name);
  return (name) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
}

function bearerIn(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +(\S+)$/i.exec(header)?.[1];
}
