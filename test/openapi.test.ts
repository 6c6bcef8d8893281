import { expect, it } from 'vitest';
import { createAdminRig } from './support/admin-rig.ts';

/** After a change of the API: `npx vitest run test/openapi.test.ts -u`. */
it('the OpenAPI document in docs is what the agent answers', async () => {
  const { body } = await createAdminRig().ask('GET', '/openapi.json', { token: undefined });
  await expect(`${JSON.stringify(body, null, 2)}\n`).toMatchFileSnapshot('../docs/openapi.json');
});
