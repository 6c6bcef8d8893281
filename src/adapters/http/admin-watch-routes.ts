import { createRoute, z } from '@hono/zod-openapi';
import { alertNames } from '../../core/alert/alert.ts';
import { answer, invalid, tagged, unauthorized } from './admin-parts.ts';
import { instant } from './admin-schemas.ts';

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

const testedTarget = z
  .object({
    to: z.string().openapi({ description: 'host and port of the target' }),
    kind: z.enum(['taken', 'refused', 'failed']),
    cause: z.string().optional(),
  })
  .openapi('TestedTarget');

const count = z.int().nonnegative();
const percent = z.number().openapi({ description: 'absent where it is not measured' });

const forecastView = z
  .object({
    node: z.string().openapi({ description: 'the node that would die' }),
    viewers: count.openapi({ description: 'who watches there now' }),
    withoutBackup: count.openapi({ description: 'those who would have to open the stream again' }),
    refused: count.openapi({ description: 'those whose backups would all be full' }),
    survivors: z
      .array(
        z.object({
          node: z.string(),
          takes: count.openapi({ description: 'viewers of the dead node' }),
          cpuPercent: percent.optional(),
          networkPercent: percent.optional(),
          backupSessions: count,
          cpuLimitPercent: percent.optional(),
          networkLimitPercent: percent.optional(),
          backupSessionsMax: count.optional(),
          stoppedBy: z
            .enum(['cpu', 'network', 'backup-limit'])
            .optional()
            .openapi({ description: 'the limit because of which it could not take all' }),
        }),
      )
      .readonly(),
  })
  .openapi('Forecast');

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
  testAlerts: createRoute({
    method: 'post',
    path: '/api/v1/alerts/test',
    summary: 'tell whoever is told of alerts something that is marked as a test',
    ...tagged('alerts'),
    responses: {
      200: answer(z.object({ targets: z.array(testedTarget).readonly() }), 'what became of it'),
      ...unauthorized,
    },
  }),
  forecast: createRoute({
    method: 'get',
    path: '/api/v1/forecast',
    summary: 'what each node would carry if another one died now, by the node that would die',
    ...tagged('node'),
    responses: {
      200: answer(z.object({ forecasts: z.array(forecastView).readonly() }), 'one for each node'),
      ...unauthorized,
    },
  }),
};
