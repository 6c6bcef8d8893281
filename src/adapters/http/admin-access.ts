import type { Administer } from '../../agent/administer.ts';
import type { Clock, Log } from '../../agent/ports.ts';
import { accessRoutes } from './admin-access-routes.ts';
import type { AdminApp } from './admin-environment.ts';

/** Adds the calls about tokens and changes. */
export function addAccess(
  app: AdminApp,
  deps: { readonly administer: Administer; readonly clock: Clock; readonly log: Log },
): void {
  const { administer, clock, log } = deps;
  app.openapi(accessRoutes.tokens, (context) => context.json({ tokens: administer.tokens() }, 200));
  app.openapi(accessRoutes.createToken, (context) => {
    const by = { who: context.get('caller').who, at: clock.now().wallMs };
    const made = administer.createToken(context.req.valid('json'), by);
    const { token: _, ...after } = made;
    context.set('change', { target: made.id, after });
    log.info('token made', { token: made.id, scope: made.scope });
    return context.json(made, 201);
  });
  app.openapi(accessRoutes.revokeToken, (context) => {
    const before = administer.revokeToken(context.req.valid('param').id);
    context.set('change', { before });
    log.info('token revoked', { token: before.id });
    return context.body(null, 204);
  });
  app.openapi(accessRoutes.audit, (context) => {
    const { cursor, limit, ...filter } = context.req.valid('query');
    const beforeId = cursor === undefined ? undefined : Number(cursor);
    const changes = administer.changes({ beforeId, limit, filter });
    const nextCursor = changes.length < limit ? undefined : String(changes.at(-1)?.id);
    return context.json({ changes, nextCursor }, 200);
  });
}
