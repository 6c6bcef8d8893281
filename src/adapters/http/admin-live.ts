import { createRoute, z } from '@hono/zod-openapi';
import { streamSSE } from 'hono/streaming';
import type { Administer } from '../../agent/administer.ts';
import type { Clock } from '../../agent/ports.ts';
import type { Now } from '../../core/time.ts';
import type { AdminApp } from './admin-environment.ts';
import { conflict, tagged, unauthorized } from './admin-parts.ts';
import { keyView } from './admin-schemas.ts';
import { problem } from './problem.ts';

/** Consoles that are told at once. */
const followersMax = 32;
/** How often it is looked for what has changed. */
const lookMs = 1_000;
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
    readonly stopping: AbortSignal;
  },
): void {
  const { clock, stopping } = deps;
  let followers = 0;
  app.openapi(liveRoute, (context) => {
    if (followers >= followersMax)
      return problem('conflict', {
        detail: `${followersMax} consoles are open, which is the limit`,
      });
    followers += 1;
    context.header('x-accel-buffering', 'no');
    return streamSSE(context, async (stream) => {
      const until = clock.now().monoMs + followMsMax;
      const news = newsFor(deps.administer);
      try {
        while (!stopping.aborted && !stream.aborted && clock.now().monoMs < until) {
          for (const message of news(clock.now())) await stream.writeSSE(message);
          await stream.sleep(lookMs);
        }
      } finally {
        followers -= 1;
      }
    });
  });
}

/** What one console has not been told yet, at each call. */
function newsFor(administer: Administer) {
  const told = new Map<string, string>();
  let toldAt = Number.NEGATIVE_INFINITY;
  return (now: Now): readonly { event: string; data: string }[] => {
    const news: { event: string; data: string }[] = [];
    for (const [event, value] of Object.entries(partsOf(administer, now))) {
      const data = JSON.stringify(value);
      if (told.get(event) !== data) news.push({ event, data });
      told.set(event, data);
    }
    if (news.length === 0 && now.monoMs - toldAt >= quietMsMax)
      news.push({ event: 'quiet', data: '' });
    if (news.length > 0) toldAt = now.monoMs;
    return news;
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
  };
}
