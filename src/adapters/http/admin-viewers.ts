import type { Administer } from '../../agent/administer.ts';
import type { Clock, Log } from '../../agent/ports.ts';
import type { AdminApp } from './admin-environment.ts';
import { adminRoutes } from './admin-routes.ts';

/** What an operator does with viewers: moving them off a node, ending one, being one that is redirected. */
export function addViewers(
  app: AdminApp,
  { administer, clock, log }: { administer: Administer; clock: Clock; log: Log },
): void {
  app.openapi(adminRoutes.drain, async (context) => {
    const { move, over_s } = context.req.valid('query');
    const moveOverS = move === 'true' ? over_s : undefined;
    log.info('drain begins', { moveOverS });
    const view = await administer.viewers.drain({ moveOverS }, clock.now());
    context.set('change', { after: { draining: true, moveOverS } });
    return context.json(view, 200);
  });
  app.openapi(adminRoutes.beginTrial, async (context) => {
    const { name } = context.req.valid('param');
    context.set('change', 'nothing');
    return context.json(administer.beginTrial(name, clock.now()), 200);
  });
  app.openapi(adminRoutes.undrain, async (context) => {
    log.info('drain ends');
    const view = await administer.viewers.undrain(clock.now());
    context.set('change', { after: { draining: false } });
    return context.json(view, 200);
  });
  app.openapi(adminRoutes.endSession, (context) => {
    const { id } = context.req.valid('param');
    const { stream, login } = administer.viewers.endSession(id, clock.now());
    context.set('change', { target: id, before: { stream, login } });
    log.info('session ended', { stream });
    return context.body(null, 204);
  });
}
