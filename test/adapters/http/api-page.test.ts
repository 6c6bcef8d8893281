import { expect, it } from 'vitest';
import { createAdminRig } from '../../support/admin-rig.ts';

it.each([
  ['/docs', 'text/html; charset=UTF-8'],
  ['/docs/start.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['/docs/favicon-32x32.png', 'image/png'],
])('the page for people needs %s, which is %s, each time the same', async (path, type) => {
  const { ask } = createAdminRig();
  const [first, again] = [
    await ask('GET', path, { token: undefined }),
    await ask('GET', path, { token: undefined }),
  ];
  expect([first.status, first.headers.get('content-type')]).toEqual([200, type]);
  expect(first.body.length).toBeGreaterThan(100);
  expect(again.body).toBe(first.body);
});
