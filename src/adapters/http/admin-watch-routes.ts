import { createRoute, z } from '@hono/zod-openapi';
import { alertNames } from '../../core/alert/alert.ts';
import { answer, instant, invalid, tagged, unauthorized } from './admin-parts.ts';

const code = z.union([z.literal(70), z.literal(78), z.literal(79)]);
const state = z.enum(['raised', 'cleared']);

const alertView = z
  .object({
    code,
    name: z.enum([alertNames[70], alertNames[78], alertNames[79]]),
    state,
    group: z.string().optional().openapi({ description: 'absent: whatever the group' }),
    node: z.string().openapi({ description: 'where it has to be mended' }),
    cause: z.string().openapi({ description: 'reason code', example: 'unreachable' }),
    text: z.string(),
    remedy: z.string().openapi({ description: 'what to do' }),
    reporter: z.string().openapi({ description: 'the node that tells' }),
    raisedAt: instant,
    clearedAt: instant.optional(),
  })
  .openapi('Alert');

/** What to watch. */
export const watchRoutes = {
  alerts: createRoute({
    method: 'get',
    path: '/api/v1/alerts',
    summary: 'alerts of this node, newest first; those that are over, too, the latest 1,000',
    ...tagged('alerts'),
    request: { query: z.strictObject({ state: state.optional() }) },
    responses: {
      200: answer(z.object({ alerts: z.array(alertView) }), 'the alerts'),
      ...invalid,
      ...unauthorized,
    },
  }),
};
