import type { Administer } from '../../agent/administer.ts';
import type { Clock } from '../../agent/ports.ts';
import type { AdminApp } from './admin-environment.ts';
import { adminRoutes } from './admin-routes.ts';

/** Drills: see `docs/operating.md`. */
export function addDrills(
  app: AdminApp,
  { administer: { drills }, clock }: { administer: Administer; clock: Clock },
): void {
  app.openapi(adminRoutes.beginDrill, async (context) => {
    const wish = context.req.valid('json');
    const drill = drills.begin(wish, clock.now());
    context.set('change', { target: drill.id, after: wish });
    return context.json(drill, 201);
  });
  app.openapi(adminRoutes.drills, (context) =>
    context.json({ drills: drills.list(clock.now()) }, 200),
  );
  app.openapi(adminRoutes.drill, (context) =>
    context.json(drills.get(context.req.valid('param').id, clock.now()), 200),
  );
  app.openapi(adminRoutes.endDrill, (context) => {
    const { id } = context.req.valid('param');
    const drill = drills.stop(id, clock.now());
    context.set('change', { target: id });
    return context.json(drill, 200);
  });
}
