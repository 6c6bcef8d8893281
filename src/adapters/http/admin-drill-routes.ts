import { createRoute, z } from '@hono/zod-openapi';
import { drillFailures, drillFamilies, drillLimits } from '../../core/drill/failure.ts';
import { answer, conflict, invalid, notFound, tagged, unauthorized } from './admin-parts.ts';
import { instant } from './admin-schemas.ts';

const failure = z.enum(drillFailures).openapi({
  description:
    '`not-found`: playlists are 404. `cut`: connections are closed without an answer. `silent`: nothing is answered. `frozen`: playlists stand still. `slow`: every answer is late',
});
const family = z.enum(drillFamilies);
const percent = z.number().min(0).max(100);
const ms = z.int().nonnegative();
const sinceFailure = ms.optional().openapi({ description: 'ms since the failure began' });

/** What is tried out, without what is left to the node. */
const fields = {
  failure,
  durationS: z
    .int()
    .min(drillLimits.durationSMin)
    .max(drillLimits.durationSMax)
    .openapi({ description: 'how long the failure lasts; it ends with the process, too' }),
  probes: z
    .int()
    .min(1)
    .max(drillLimits.probesMax)
    .openapi({ description: 'modelled players of each family' }),
  families: z
    .array(z.enum(drillFamilies))
    .min(1)
    .max(drillFamilies.length)
    .refine((list) => new Set(list).size === list.length, 'must name each family once')
    .readonly(),
  sharePercent: percent.openapi({
    description: 'how many modelled players of each family meet the failure',
  }),
  viewersPercent: percent.openapi({ description: 'how many real viewers meet it; 0: none' }),
  slowMs: z
    .int()
    .min(100)
    .max(drillLimits.slowMsMax)
    .openapi({ description: 'by how much answers are late if it is `slow`' }),
  force: z.boolean().openapi({
    description: 'although nobody could take over now; viewers without backup included',
  }),
};
const stream = z.string().min(1).max(200).openapi({ example: 'sport/hd' });

const wish = z.strictObject({
  stream,
  failure: fields.failure.default('not-found'),
  durationS: fields.durationS.default(30),
  probes: fields.probes.default(1),
  families: fields.families.default([...drillFamilies]),
  sharePercent: fields.sharePercent.default(100),
  viewersPercent: fields.viewersPercent.default(0),
  slowMs: fields.slowMs.default(3_000),
  force: fields.force.default(false),
});

const outcome = z.enum(['moves', 'reopens', 'ends', 'stays']);

const familyResult = z.object({
  family,
  isAssumed: z.boolean().openapi({ description: "known from its maker's documents only" }),
  expected: outcome.openapi({ description: 'what its rules say' }),
  expectedWithinMs: sinceFailure,
  probes: z.int(),
  chosen: z.int().openapi({ description: 'those that were meant to meet the failure' }),
  moved: z.int().openapi({ description: 'those that had media from another node' }),
  ended: z.int().openapi({ description: 'those that gave up' }),
  metAfterMs: sinceFailure.openapi({ description: 'first failed request; the earliest' }),
  movedAfterMs: sinceFailure.openapi({ description: 'first request to another node; the slowest' }),
  servedAfterMs: sinceFailure.openapi({ description: 'first media from there; the slowest' }),
  withoutMediaMs: ms.openapi({ description: 'time with nothing to show; the worst' }),
  missingMs: ms.openapi({ description: 'of the stream, what was left out; the worst' }),
  to: z.array(z.string()).readonly(),
  verdict: z.enum(['carried', 'interrupted', 'lost', 'waiting', 'stays', 'unproved']),
});

const probeResult = z.object({
  family,
  chosen: z.boolean(),
  state: z.enum(['opening', 'playing', 'ended', 'unopened']),
  metAfterMs: sinceFailure,
  movedAfterMs: sinceFailure,
  movedTo: z.string().optional(),
  servedAfterMs: sinceFailure,
  withoutMediaMs: ms,
  missingMs: ms,
  requests: z.int(),
  bytes: z.int(),
  note: z.string().optional(),
  expected: z.object({ outcome, withinMs: sinceFailure }),
});

const viewersResult = z.object({
  family: z.string().openapi({ description: 'what the User-Agent says' }),
  met: z.int(),
  left: z.int().openapi({ description: 'who asks this node no more' }),
  arrived: z.int().openapi({ description: 'who was found at another node' }),
  arrivedAfterMs: ms
    .optional()
    .openapi({ description: 'the longest that it took one of them, to the second' }),
  to: z.array(z.string()).readonly(),
  leftAfterMs: ms
    .optional()
    .openapi({ description: 'the longest that one of them went on asking' }),
});

const drillView = z
  .object({
    id: z.string(),
    wish: z.object({ stream, ...fields }),
    state: z.enum(['warming', 'failing', 'done', 'stopped']),
    startedAt: instant,
    failureAt: instant.optional(),
    endsAt: instant.optional(),
    endedAt: instant.optional(),
    passed: z.boolean().optional().openapi({
      description: 'nobody was lost who moves by its rules; absent until the failure is over',
    }),
    families: z.array(familyResult).readonly(),
    probes: z.array(probeResult).readonly(),
    viewers: z.array(viewersResult).readonly(),
  })
  .openapi('Drill');

const one = { params: z.object({ id: z.string().min(1).max(60) }) };

/** Trying out what players make of a failure. */
export const drillRoutes = {
  beginDrill: createRoute({
    method: 'post',
    path: '/api/v1/drills',
    summary: 'let players of the node itself meet a failure, and see how they fare',
    ...tagged('drills'),
    request: { body: { required: true, content: { 'application/json': { schema: wish } } } },
    responses: {
      201: answer(drillView, 'it has begun'),
      ...invalid,
      ...notFound,
      ...conflict,
      ...unauthorized,
    },
  }),
  drills: createRoute({
    method: 'get',
    path: '/api/v1/drills',
    summary: 'the latest 20 drills of this process, newest first',
    ...tagged('drills'),
    responses: {
      200: answer(z.object({ drills: z.array(drillView).readonly() }), 'the drills'),
      ...unauthorized,
    },
  }),
  drill: createRoute({
    method: 'get',
    path: '/api/v1/drills/{id}',
    summary: 'one drill, as far as it is',
    ...tagged('drills'),
    request: one,
    responses: { 200: answer(drillView, 'the drill'), ...notFound, ...unauthorized },
  }),
  endDrill: createRoute({
    method: 'delete',
    path: '/api/v1/drills/{id}',
    summary: 'end the failure now',
    ...tagged('drills'),
    request: one,
    responses: { 200: answer(drillView, 'the drill'), ...notFound, ...unauthorized },
  }),
};
