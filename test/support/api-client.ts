import createClient from 'openapi-fetch';
import type { paths } from '../../src/console/api-types.ts';
import { adminToken, type createAdminRig } from './admin-rig.ts';

/** The typed client over the rig's app; `asked` holds each call as the document writes it, `get /api/v1/node`. */
export function createApiClient(
  { app }: Pick<ReturnType<typeof createAdminRig>, 'app'>,
  token = adminToken,
) {
  const asked = new Set<string>();
  const client = createClient<paths>({
    baseUrl: 'http://127.0.0.1',
    headers: { authorization: `Bearer ${token}` },
    fetch: async (request) =>
      app.request(request, undefined, { incoming: { socket: { remoteAddress: '127.0.0.1' } } }),
  });
  client.use({
    onRequest: ({ request, schemaPath }) => {
      asked.add(`${request.method.toLowerCase()} ${schemaPath}`);
    },
  });
  return { client, asked };
}
