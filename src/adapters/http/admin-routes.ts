import { createRoute, z } from '@hono/zod-openapi';
import { accessRoutes } from './admin-access-routes.ts';
import { coverageRoutes } from './admin-coverage-routes.ts';
import { drillRoutes } from './admin-drill-routes.ts';
import { explainRoutes } from './admin-explain-routes.ts';
import { liveRoute } from './admin-live.ts';
import { answer, conflict, fault, invalid, notFound, tagged, unauthorized } from './admin-parts.ts';
import {
  groupView,
  keyView,
  nodeView,
  peersView,
  sessionsQuery,
  sessionsView,
  streamView,
} from './admin-schemas.ts';
import { viewerRoutes } from './admin-viewer-routes.ts';
import { watchRoutes } from './admin-watch-routes.ts';
import { streamName, streamSettings } from './stream-schema.ts';

const changed = { 412: fault('the stream is not as the request says it should be') };
const page = {
  limit: z.coerce.number().int().min(1).max(1_000).default(1_000),
  cursor: z
    .string()
    .max(200)
    .optional()
    .openapi({ description: '`nextCursor` of the answer before' }),
};
const nextCursor = z.string().optional().openapi({ description: 'absent at the end' });
const ifMatch = z.object({
  'if-match': z
    .string()
    .max(1_000)
    .optional()
    .openapi({ description: 'only if it is still this version (ETag)' }),
  'if-none-match': z
    .string()
    .max(1_000)
    .optional()
    .openapi({ description: '`*`: only if there is none' }),
});

/** A name in the path: percent-encoded, `/` as `%2F`. */
const namedStream = { params: z.object({ name: streamName }) };
const namedGroup = { params: z.object({ name: z.string().min(1).max(100) }) };

/** Everything the API can be asked, by what it does (`docs/api.md`). */
export const adminRoutes = {
  ...accessRoutes,
  ...coverageRoutes,
  ...drillRoutes,
  ...explainRoutes,
  ...viewerRoutes,
  ...watchRoutes,
  live: liveRoute,
  node: createRoute({
    method: 'get',
    path: '/api/v1/node',
    summary: 'this node',
    ...tagged('node'),
    responses: { 200: answer(nodeView, 'the node'), ...unauthorized },
  }),
  streams: createRoute({
    method: 'get',
    path: '/api/v1/streams',
    summary: 'all streams, by name',
    ...tagged('streams'),
    request: {
      query: z.strictObject({
        ...page,
        group: z.string().max(100).optional(),
        definedIn: z.enum(['file', 'api']).optional(),
        onAir: z.enum(['true', 'false']).optional(),
      }),
    },
    responses: {
      200: answer(
        z.object({ streams: z.array(streamView).readonly(), nextCursor }),
        'a page of them',
      ),
      ...invalid,
      ...unauthorized,
    },
  }),
  stream: createRoute({
    method: 'get',
    path: '/api/v1/streams/{name}',
    summary: 'one stream',
    ...tagged('streams'),
    request: namedStream,
    responses: { 200: answer(streamView, 'the stream'), ...invalid, ...notFound, ...unauthorized },
  }),
  putStream: createRoute({
    method: 'put',
    path: '/api/v1/streams/{name}',
    summary: 'add a stream or replace it whole',
    ...tagged('streams'),
    request: {
      ...namedStream,
      headers: ifMatch,
      body: { required: true, content: { 'application/json': { schema: streamSettings } } },
    },
    responses: {
      200: answer(streamView, 'replaced'),
      201: answer(streamView, 'added'),
      ...invalid,
      ...conflict,
      ...changed,
      413: fault('the body is larger than 64 KiB'),
      415: fault('the body is not JSON'),
      ...unauthorized,
    },
  }),
  removeStream: createRoute({
    method: 'delete',
    path: '/api/v1/streams/{name}',
    summary: 'remove a stream',
    ...tagged('streams'),
    request: { ...namedStream, headers: ifMatch },
    responses: {
      204: { description: 'removed' },
      ...invalid,
      ...notFound,
      ...conflict,
      ...changed,
      ...unauthorized,
    },
  }),
  groups: createRoute({
    method: 'get',
    path: '/api/v1/groups',
    summary: 'all groups this node is in, with problems and reasons',
    ...tagged('groups'),
    request: {
      query: z.strictObject({
        ...page,
        state: z.enum(['reserve', 'degraded', 'none']).optional(),
      }),
    },
    responses: {
      200: answer(
        z.object({ groups: z.array(groupView).readonly(), nextCursor }),
        'a page of them',
      ),
      ...invalid,
      ...unauthorized,
    },
  }),
  group: createRoute({
    method: 'get',
    path: '/api/v1/groups/{name}',
    summary: 'one group',
    ...tagged('groups'),
    request: namedGroup,
    responses: { 200: answer(groupView, 'the group'), ...invalid, ...notFound, ...unauthorized },
  }),
  peers: createRoute({
    method: 'get',
    path: '/api/v1/peers',
    summary: 'the other nodes as this one sees them',
    ...tagged('node'),
    request: {
      query: z.strictObject({
        reachability: z.enum(['reachable', 'unreachable', 'unknown']).optional(),
      }),
    },
    responses: { 200: answer(peersView, 'the peers'), ...invalid, ...unauthorized },
  }),
  key: createRoute({
    method: 'get',
    path: '/api/v1/key',
    summary: 'state of the viewing key',
    ...tagged('key'),
    responses: { 200: answer(keyView, 'the key ring'), ...unauthorized },
  }),
  rotateKey: createRoute({
    method: 'post',
    path: '/api/v1/key/rotate',
    summary: 'make the next viewing key, unless one still spreads',
    ...tagged('key'),
    responses: { 200: answer(keyView, 'the key ring after that'), ...unauthorized },
  }),
  sessions: createRoute({
    method: 'get',
    path: '/api/v1/sessions',
    summary: 'viewers now, longest idle first',
    ...tagged('sessions'),
    request: { query: sessionsQuery },
    responses: { 200: answer(sessionsView, 'a page of them'), ...invalid, ...unauthorized },
  }),
  metrics: createRoute({
    method: 'get',
    path: '/metrics',
    summary: 'what Prometheus reads; needs no token',
    tags: ['probes'],
    responses: {
      200: {
        description: 'metrics as text',
        content: { 'text/plain': { schema: z.string() } },
      },
    },
  }),
  healthz: createRoute({
    method: 'get',
    path: '/healthz',
    summary: 'the process runs',
    tags: ['probes'],
    responses: { 200: answer(z.object({ ok: z.literal(true) }), 'it does') },
  }),
  readyz: createRoute({
    method: 'get',
    path: '/readyz',
    summary: 'the node can serve',
    tags: ['probes'],
    responses: {
      200: answer(z.object({ ok: z.literal(true) }), 'it can'),
      503: fault('not yet, and why'),
    },
  }),
};
