import { expect, it } from 'vitest';
import { createAdminRig } from './support/admin-rig.ts';
import { typesOf } from './support/openapi-types.ts';

const describedApi = async () =>
  (await createAdminRig().ask('GET', '/openapi.json', { token: undefined })).body;

/** After a change of the API: `npx vitest run test/openapi.test.ts -u`. */
it('the OpenAPI document in docs is what the agent answers', async () => {
  const text = `${JSON.stringify(await describedApi(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../docs/openapi.json');
});

it('the types of the client are those of the document', async () => {
  await expect(typesOf(await describedApi())).toMatchFileSnapshot('../src/console/api-types.ts');
});
