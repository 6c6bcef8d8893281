import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { AuditEntry } from '../../agent/admin-ports.ts';
import type { Clock, Log } from '../../agent/ports.ts';
import type { AdminEnvironment } from './admin-environment.ts';

/** Calls that change nothing an operator decides: questions, and what recorders tell every few seconds. */
const notNoted: ReadonlySet<string> = new Set(['POST /explain', 'PUT /streams/{name}/coverage']);

/**
 * Notes every change that was made through the API: who, what, and, where the handler said so, before and after. A note
 * that cannot be kept is logged as an error; the change has been made by then and is not taken back.
 */
export function noteChanges(deps: {
  readonly note: (entry: AuditEntry) => void;
  readonly clock: Clock;
  readonly log: Log;
}): MiddlewareHandler<AdminEnvironment> {
  return async (context, next) => {
    await next();
    const { method } = context.req;
    if (method === 'GET' || method === 'HEAD' || !context.res.ok) return;
    const change = context.get('change');
    const action = `${method} ${pathOf(routePath(context, -1))}`;
    if (change === 'nothing' || notNoted.has(action)) return;
    const { target = context.req.param('name') ?? context.req.param('id'), ...values } =
      change ?? {};
    const { who } = context.get('caller');
    try {
      deps.note({ at: deps.clock.now().wallMs, who, action, target, ...values });
    } catch (error) {
      deps.log.error('change not noted', { action, target, cause: String(error) });
    }
  };
}

/** A route as the documents write it. */
function pathOf(route: string): string {
  return route.replace('/api/v1', '').replaceAll(/:(\w+)/g, '{$1}');
}
