import { createRoute, z } from '@hono/zod-openapi';
import { answer, conflict, invalid, notFound, tagged, unauthorized } from './admin-parts.ts';
import { instant } from './admin-schemas.ts';

const scope = z.enum(['read', 'write']).openapi({
  description: '`read`: sees everything, changes nothing; `write`: all',
});

const tokenView = z
  .object({
    id: z.string(),
    name: z.string(),
    scope,
    createdAt: instant,
    createdBy: z.string(),
  })
  .openapi('Token', { description: 'a bearer token; the token itself is not kept' });

const auditEntry = z
  .object({
    id: z.int(),
    at: instant,
    who: z.string().openapi({ example: 'token console' }),
    action: z.string().openapi({ example: 'PUT /streams/{name}' }),
    target: z.string().optional(),
    before: z.unknown().optional(),
    after: z.unknown().optional(),
  })
  .openapi('Change', { description: 'a change made through the API' });

/** Who may use the API, and what was changed with it. */
export const accessRoutes = {
  tokens: createRoute({
    method: 'get',
    path: '/api/v1/tokens',
    summary: 'bearer tokens made through the API, oldest first',
    ...tagged('access'),
    responses: {
      200: answer(z.object({ tokens: z.array(tokenView).readonly() }), 'the tokens'),
      ...unauthorized,
    },
  }),
  createToken: createRoute({
    method: 'post',
    path: '/api/v1/tokens',
    summary: 'make a bearer token; it is shown this once',
    ...tagged('access'),
    request: {
      body: {
        required: true,
        content: {
          'application/json': {
            schema: z.strictObject({
              name: z
                .string()
                .regex(/^[^\p{Cc}\p{Cs}]{1,100}$/u)
                .openapi({ description: 'what people call it', example: 'grafana' }),
              scope,
            }),
          },
        },
      },
    },
    responses: {
      201: answer(tokenView.extend({ token: z.string() }).openapi('NewToken'), 'made'),
      ...invalid,
      ...conflict,
      ...unauthorized,
    },
  }),
  revokeToken: createRoute({
    method: 'delete',
    path: '/api/v1/tokens/{id}',
    summary: 'end a bearer token at once',
    ...tagged('access'),
    request: { params: z.object({ id: z.string().min(1).max(64) }) },
    responses: { 204: { description: 'ended' }, ...notFound, ...invalid, ...unauthorized },
  }),
  audit: createRoute({
    method: 'get',
    path: '/api/v1/audit',
    summary: 'changes made through the API, newest first',
    ...tagged('access'),
    request: {
      query: z.strictObject({
        limit: z.coerce.number().int().min(1).max(1_000).default(100),
        cursor: z
          .string()
          .regex(/^\d{1,15}$/)
          .optional(),
        who: z.string().max(120).optional(),
        action: z.string().max(100).optional(),
        target: z.string().max(200).optional(),
      }),
    },
    responses: {
      200: answer(
        z.object({ changes: z.array(auditEntry).readonly(), nextCursor: z.string().optional() }),
        'a page of them',
      ),
      ...invalid,
      ...unauthorized,
    },
  }),
};
