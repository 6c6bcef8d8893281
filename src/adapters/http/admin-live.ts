import { createRoute, z } from '@hono/zod-openapi';
import { streamSSE } from 'hono/streaming';
import type { Administer } from '../../agent/administer.ts';
import type { Clock, Log } from '../../agent/ports.ts';
import type { Now } from '../../core/time.ts';
import type { AdminApp } from './admin-environment.ts';
import { conflict, tagged, unauthorized } from './admin-parts.ts';
import { keyView } from './admin-schemas.ts';
import { problem } from './problem.ts';

/** Consoles that are told at once. */
const followersMax = 32;
/** How often it is looked for what has changed. */
const lookMs = 1_000;
/** What all consoles are told is made once for so long: a little less, as timers come a little early. */
const keptMs = 950;
/** A sign of life for proxies, when nothing has changed for this long. */
const quietMsMax = 15_000;
/** Then the console asks anew, so that a token that was revoked ends here, too. */
const followMsMax = 10 * 60_000;

/** What a console follows: server-sent events, one for each part that changed, all of them at the beginning. */
export const liveRoute = createRoute({
  method: 'get',
  path: '/api/v1/live',
  summary: 'everything a console shows, as it changes',
  description:
    'Server-sent events. Each is named after a call (`node`, `groups`, `peers`, `key` ...) and holds what that call would answer. All come at the beginning, then those that changed, at most once a second. The answer ends after ten minutes: ask again.',
  ...tagged('node'),
  responses: {
    200: {
      description: 'events',
      content: { 'text/event-stream': { schema: z.string() } },
    },
    ...conflict,
    ...unauthorized,
  },
});

/** Adds the stream of events; `stopping` ends all of them. */
export function addLive(
  app: AdminApp,
  deps: {
    readonly administer: Administer;
    readonly clock: Clock;
    readonly log: Log;
    readonly stopping: AbortSignal;
  },
): void {
  const { clock, log, stopping } = deps;
  const partsAt = keepParts(deps.administer);
  let followers = 0;
  app.openapi(liveRoute, (context) => {
    // Asked like GET, but nobody reads what would follow.
    if (context.req.method === 'HEAD')
      return context.body(null, 200, { 'content-type': 'text/event-stream' });
    if (followers >= followersMax)
      return problem('conflict', {
        detail: `${followersMax} consoles are open, which is the limit`,
      });
    followers += 1;
    context.header('x-accel-buffering', 'no');
    return streamSSE(
      context,
      async (stream) => {
        // Also of a console that does not read, for which writing waits.
        const cut = setTimeout(() => stream.abort(), followMsMax);
        const newsOf = newsFor();
        try {
          while (!stopping.aborted && !stream.aborted) {
            const now = clock.now();
            for (const message of newsOf(partsAt(now), now)) await stream.writeSSE(message);
            await stream.sleep(lookMs);
          }
        } finally {
          clearTimeout(cut);
          followers -= 1;
        }
      },
      async (error, stream) => {
        log.error('console no longer told', { cause: error });
        // Else the fault itself would be told.
        stream.abort();
      },
    );
  });
}

type Part = { readonly event: string; readonly data: string };

/** What one console has not been told yet, at each call. */
function newsFor() {
  const told = new Map<string, string>();
  let toldAt = Number.NEGATIVE_INFINITY;
  return (parts: readonly Part[], now: Now): readonly Part[] => {
    const news = parts.filter(({ event, data }) => told.get(event) !== data);
    for (const { event, data } of news) told.set(event, data);
    if (news.length === 0 && now.monoMs - toldAt >= quietMsMax)
      news.push({ event: 'quiet', data: '' });
    if (news.length > 0) toldAt = now.monoMs;
    return news;
  };
}

/** Everything that consoles show, as text, made once per look however many there are. */
function keepParts(administer: Administer): (now: Now) => readonly Part[] {
  let madeAt = Number.NEGATIVE_INFINITY;
  let parts: readonly Part[] = [];
  return (now) => {
    if (now.monoMs - madeAt < keptMs) return parts;
    parts = Object.entries(partsOf(administer, now)).map(([event, value]) => ({
      event,
      data: JSON.stringify(value),
    }));
    madeAt = now.monoMs;
    return parts;
  };
}

function partsOf(administer: Administer, now: Now): Record<string, unknown> {
  return {
    node: administer.node(now),
    groups: { groups: administer.groups(now) },
    peers: administer.peers(now),
    key: keyView.parse(administer.key()),
    alerts: { alerts: administer.alerts() },
    forecast: { forecasts: administer.forecast(now) },
    drills: { drills: administer.drills.list(now) },
  };
}
