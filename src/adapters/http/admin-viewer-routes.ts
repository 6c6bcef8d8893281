import { createRoute, z } from '@hono/zod-openapi';
import { answer, conflict, invalid, notFound, tagged, unauthorized } from './admin-parts.ts';
import { instant } from './admin-schemas.ts';
import { streamName } from './stream-schema.ts';

/** Longest time over which viewers may be moved, seconds. */
const moveSMax = 3_600;

const ids = z.array(z.string()).readonly();

const drainView = z
  .object({
    draining: z.boolean(),
    since: instant.optional(),
    moveOverS: z.number().optional().openapi({ description: 'viewers are moved over this time' }),
    told: ids.openapi({ description: 'peers that have taken it in' }),
    notTold: ids.openapi({ description: 'peers that could not be told: they know by asking' }),
  })
  .openapi('Drain');

/** What an operator does with viewers. */
export const viewerRoutes = {
  drain: createRoute({
    method: 'post',
    path: '/api/v1/drain',
    summary: 'take this node out of backup lists and redirects, and move its viewers if wanted',
    ...tagged('node'),
    request: {
      query: z.strictObject({
        move: z
          .enum(['true', 'false'])
          .optional()
          .openapi({ description: 'move viewers who can watch elsewhere' }),
        over_s: z.coerce
          .number()
          .int()
          .min(0)
          .max(moveSMax)
          .default(60)
          .openapi({ description: 'seconds over which they are moved' }),
      }),
    },
    responses: { 200: answer(drainView, 'the drain'), ...invalid, ...unauthorized },
  }),
  endSession: createRoute({
    method: 'delete',
    path: '/api/v1/sessions/{id}',
    summary: 'end a session and its passes, here at once and on the other nodes within a second',
    ...tagged('sessions'),
    request: { params: z.object({ id: z.string().min(1).max(400) }) },
    responses: { 204: { description: 'ended' }, ...invalid, ...notFound, ...unauthorized },
  }),
  beginTrial: createRoute({
    method: 'post',
    path: '/api/v1/streams/{name}/trial',
    summary: 'a pass with which an opening of the stream is redirected, though this node serves it',
    ...tagged('streams'),
    request: { params: z.object({ name: streamName }) },
    responses: {
      200: answer(
        z
          .object({
            entry: z
              .string()
              .openapi({ description: 'path and query below the address of the node' }),
            endsAt: instant,
          })
          .openapi('Trial'),
        'for one opening within a minute',
      ),
      ...invalid,
      ...notFound,
      ...conflict,
      ...unauthorized,
    },
  }),
  undrain: createRoute({
    method: 'delete',
    path: '/api/v1/drain',
    summary: 'offer this node again',
    ...tagged('node'),
    responses: { 200: answer(drainView, 'it is offered'), ...unauthorized },
  }),
};
