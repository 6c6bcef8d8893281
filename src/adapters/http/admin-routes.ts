import { createRoute, z } from '@hono/zod-openapi';
import {
  groupView,
  keyView,
  nodeView,
  peersView,
  problemView,
  sessionsQuery,
  sessionsView,
  streamView,
} from './admin-schemas.ts';
import { streamName, streamSettings } from './stream-schema.ts';

const tagged = (tag: string) => ({ tags: [tag], security: [{ bearer: [] }] });

function answer<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { 'application/json': { schema } } };
}

const fault = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: problemView } },
});

const unauthorized = {
  401: fault('the bearer token is missing or wrong'),
  429: fault('too many wrong bearer tokens from this address'),
};
const notFound = { 404: fault('there is no such thing') };
const invalid = { 400: fault('a parameter or the body is wrong') };
const conflict = { 409: fault('the stream comes from the streams file, or there are too many') };

/** A name in the path: percent-encoded, `/` as `%2F`. */
const namedStream = { params: z.object({ name: streamName }) };
const namedGroup = { params: z.object({ name: z.string().min(1).max(100) }) };

/** Everything the API can be asked, by what it does (`docs/api.md`). */
export const adminRoutes = {
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
    responses: {
      200: answer(z.object({ streams: z.array(streamView) }), 'the streams'),
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
      body: { required: true, content: { 'application/json': { schema: streamSettings } } },
    },
    responses: {
      200: answer(streamView, 'replaced'),
      201: answer(streamView, 'added'),
      ...invalid,
      ...conflict,
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
    request: namedStream,
    responses: {
      204: { description: 'removed' },
      ...invalid,
      ...notFound,
      ...conflict,
      ...unauthorized,
    },
  }),
  groups: createRoute({
    method: 'get',
    path: '/api/v1/groups',
    summary: 'all groups this node is in, with problems and reasons',
    ...tagged('groups'),
    responses: {
      200: answer(z.object({ groups: z.array(groupView).readonly() }), 'the groups'),
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
    responses: { 200: answer(peersView, 'the peers'), ...unauthorized },
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
