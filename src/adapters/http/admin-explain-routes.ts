import { createRoute, z } from '@hono/zod-openapi';
import { answer, invalid, tagged, unauthorized } from './admin-parts.ts';
import { instant } from './admin-schemas.ts';

const request = z.strictObject({
  stream: z.string().min(1).max(200).openapi({ example: 'sport/hd' }),
  protocol: z.enum(['hls', 'dash']).default('hls'),
  address: z.string().min(2).max(45).openapi({
    description: 'IP address of the viewer',
    example: '198.51.100.7',
  }),
  userAgent: z.string().max(500).optional(),
  https: z.boolean().default(false),
  token: z
    .string()
    .max(2_048)
    .optional()
    .openapi({ description: 'what the viewer brings to be let in; kept nowhere' }),
  home: z.string().min(1).max(63).optional().openapi({
    description: 'node from which the viewer comes with a pass; left out: it comes here first',
  }),
  period: z
    .strictObject({ startAt: instant, endAt: instant })
    .optional()
    .openapi({ description: 'of the archive; left out: live' }),
});

const explanation = z
  .object({
    placement: z.enum(['serve', 'join', 'redirect', 'not-found', 'refused']),
    reason: z.string().openapi({ example: 'own-viewer' }),
    text: z.string(),
    access: z.object({
      by: z.enum(['open', 'pass', 'token']),
      reason: z.string().optional().openapi({ description: 'why the viewer is not let in' }),
      text: z.string().optional(),
      login: z.string().optional(),
      sessionsMax: z
        .int()
        .optional()
        .openapi({ description: 'most sessions of the login at once' }),
      taken: z.int().optional().openapi({ description: 'those that others have now' }),
    }),
    location: z
      .string()
      .optional()
      .openapi({ description: 'where the viewer would be sent, without pass' }),
    viewer: z.object({
      address: z.string(),
      isPublic: z.boolean(),
      isHttps: z.boolean(),
      family: z.string(),
      followsBackups: z.boolean(),
    }),
    candidates: z
      .array(
        z.object({
          node: z.string(),
          stream: z.string(),
          reasons: z.array(z.string()).readonly(),
          texts: z.array(z.string()).readonly(),
          offered: z.boolean().openapi({
            description: 'may be named as a backup, or is where the viewer is sent',
          }),
        }),
      )
      .readonly(),
  })
  .openapi('Explanation', { description: 'the decision, with every candidate and every reason' });

const column = z.array(z.number().nullable()).readonly();

const historyView = z
  .object({
    at: z.array(instant).readonly().openapi({ description: 'when samples were taken' }),
    nodes: z
      .array(
        z.object({
          node: z.string(),
          cpuPercent: column,
          networkPercent: column,
          ownSessions: column,
          backupSessions: column,
        }),
      )
      .readonly(),
  })
  .openapi('History', {
    description: 'columns as long as `at`, oldest first; null where a node was not heard',
  });

/** Questions about decisions and the past; nothing changes. */
export const explainRoutes = {
  history: createRoute({
    method: 'get',
    path: '/api/v1/history',
    summary: 'load and viewers of all nodes over the last hour',
    ...tagged('node'),
    responses: { 200: answer(historyView, 'a sample every ten seconds'), ...unauthorized },
  }),
  explain: createRoute({
    method: 'post',
    path: '/api/v1/explain',
    summary: 'why a viewer would get what he gets; changes nothing',
    ...tagged('explain'),
    request: {
      body: { required: true, content: { 'application/json': { schema: request } } },
    },
    responses: { 200: answer(explanation, 'the decision'), ...invalid, ...unauthorized },
  }),
};
