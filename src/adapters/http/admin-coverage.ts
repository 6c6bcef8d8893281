import type { AdministerCoverage } from '../../agent/administer-coverage.ts';
import type { Clock } from '../../agent/ports.ts';
import { coverageRoutes } from './admin-coverage-routes.ts';
import type { AdminApp } from './admin-environment.ts';

type Told = readonly { readonly startAt: number; readonly endAt: number }[];

/** What is recorded: shown, and told by recorders. */
export function addCoverage(
  app: AdminApp,
  { administer, clock }: { administer: { coverage: AdministerCoverage }; clock: Clock },
): void {
  app.openapi(coverageRoutes.coverage, (context) =>
    context.json(administer.coverage.view(context.req.valid('param').name, clock.now()), 200),
  );
  app.openapi(coverageRoutes.putCoverage, (context) => {
    const { name } = context.req.valid('param');
    const { ts, fmp4 } = context.req.valid('json');
    const told = { ts: ts && rangesOf(ts), fmp4: fmp4 && rangesOf(fmp4) };
    return context.json(administer.coverage.put(name, told, clock.now()), 200);
  });
}

function rangesOf(told: Told) {
  return told.map(({ startAt, endAt }) => ({ startMs: startAt, endMs: endAt }));
}
