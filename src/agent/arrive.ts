import type { ReasonCode } from '../core/reasons.ts';
import type { Now } from '../core/time.ts';
import type { ViewerQuery } from '../core/viewer/query.ts';
import type { Viewer } from '../core/viewer/viewer.ts';
import type { Arrival } from './arrivals.ts';
import type { GoodArrival, ViewerRequest, ViewingDeps } from './viewing-parts.ts';

/**
 * How a viewer comes to a stream. Where tokens are asked for, one without a pass must bring one, and only where it
 * opens: from then on its pass speaks for it.
 *
 * @param asked.opens the protocol, where this is an address at which players begin
 */
export function arrive(
  viewing: ViewingDeps,
  asked: {
    readonly request: ViewerRequest;
    readonly query: ViewerQuery;
    readonly stream: { readonly name: string; readonly group?: string | undefined };
    readonly opens: 'hls' | 'dash' | undefined;
    readonly standInFor?: string | undefined;
  },
): Arrival | Promise<Arrival> {
  const { request, query, stream, standInFor } = asked;
  const arrival = viewing.arrivals.of(query.pass, stream, request.now, standInFor);
  if (viewing.auth === undefined || query.pass !== undefined || arrival.kind === 'refused')
    return arrival;
  if (asked.opens === undefined) return { kind: 'refused', reason: 'auth-missing' };
  return authenticated(viewing, viewing.auth, { ...asked, opens: asked.opens }, arrival);
}

async function authenticated(
  { newId }: ViewingDeps,
  auth: NonNullable<ViewingDeps['auth']>,
  {
    request,
    query,
    stream,
    opens,
  }: Parameters<typeof arrive>[1] & { readonly opens: 'hls' | 'dash' },
  arrival: GoodArrival,
): Promise<Arrival> {
  const session = newId();
  const { viewer, now } = request;
  const verdict = await auth.check(
    {
      ...{ token: query.token ?? request.bearer, address: viewer.address, session },
      ...{ stream: stream.name, protocol: opens, userAgent: request.userAgent },
    },
    now,
  );
  if (verdict.kind === 'refused') return verdict;
  const { login, sessionsMax } = verdict;
  return { ...arrival, session, login, sessionsMax };
}

/** Why a viewer who opens may not: its login watches as much as it may. Who comes with a pass has its slot. */
export function loginRefusal(
  { slots }: ViewingDeps,
  arrival: GoodArrival,
  viewer: Viewer,
  now: Now,
): ReasonCode | undefined {
  const { login, session, sessionsMax } = arrival;
  if (login === undefined || session === undefined || sessionsMax === undefined) return undefined;
  const taken = slots.takenByOthers({ session, login, viewerKey: viewer.key }, now);
  return taken >= sessionsMax ? 'login-limit' : undefined;
}
