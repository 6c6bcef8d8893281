import { createRoute, z } from '@hono/zod-openapi';
import { answer, conflict, fault, invalid, notFound, tagged, unauthorized } from './admin-parts.ts';
import { instant } from './admin-schemas.ts';
import { streamName } from './stream-schema.ts';

/** Ranges in one body; more do not fit its limit. */
const rangesMax = 1_000;

const rangeView = z.object({ startAt: instant, endAt: instant });

const containerView = z
  .object({
    ranges: z.array(rangeView).readonly(),
    gaps: z.array(rangeView).readonly(),
    span: rangeView.optional(),
    recordedMs: z.int(),
  })
  .openapi('Recorded', { description: 'half-open ranges in order, and the holes between them' });

const archiveFields = {
  depthMs: z.int().openapi({ description: 'how far back it may be asked' }),
  ts: containerView,
  fmp4: containerView,
};

const coverageView = z
  .object({
    stream: z.string(),
    problems: z
      .array(
        z.object({
          code: z.string(),
          text: z.string(),
          cause: z.string().optional().openapi({ description: 'in the words of the system' }),
          sinceAt: instant,
        }),
      )
      .readonly()
      .openapi({ description: 'what is wrong with the recording here' }),
    ...archiveFields,
    members: z
      .array(z.object({ node: z.string(), stream: z.string(), ...archiveFields }))
      .readonly()
      .openapi({ description: 'the same of the other nodes of the group, as they told it' }),
  })
  .openapi('Coverage');

const told = z
  .array(
    z
      .strictObject({ startAt: instant, endAt: instant })
      .refine(({ startAt, endAt }) => startAt < endAt, 'must end after it starts'),
  )
  .max(rangesMax, `must have at most ${rangesMax} ranges`)
  .optional();

const namedStream = { params: z.object({ name: streamName }) };

/** What is recorded (`docs/archive.md`). */
export const coverageRoutes = {
  coverage: createRoute({
    method: 'get',
    path: '/api/v1/streams/{name}/coverage',
    summary: 'what is recorded of a stream, here and on the other nodes',
    ...tagged('streams'),
    request: namedStream,
    responses: {
      200: answer(coverageView, 'ranges, gaps and span per container'),
      ...invalid,
      ...notFound,
      ...unauthorized,
    },
  }),
  putCoverage: createRoute({
    method: 'put',
    path: '/api/v1/streams/{name}/coverage',
    summary: 'for recorders: what is recorded now; a container left out stays as it was',
    ...tagged('streams'),
    request: {
      ...namedStream,
      body: {
        required: true,
        content: { 'application/json': { schema: z.strictObject({ ts: told, fmp4: told }) } },
      },
    },
    responses: {
      200: answer(coverageView, 'what is known after that'),
      ...invalid,
      ...notFound,
      ...conflict,
      413: fault('the body is larger than 64 KiB'),
      415: fault('the body is not JSON'),
      ...unauthorized,
    },
  }),
};
