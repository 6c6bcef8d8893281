import { expect, it } from 'vitest';
import { checkOutput, keptOutput, secretsIn, testSecrets } from './agent-output.ts';
import { tempFolder } from './temp-folder.ts';

const pass = 'eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJub2RlLWEifQ.c2lnbmF0dXJl';

it.each([
  ['a pass', pass],
  ['a pass in a URL', `/ch1/index.m3u8?pass=${pass}&x=1`],
  ['a wrapped key', 'eyJhbGciOiJkaXIifQ..aXY.Y2lwaGVy.dGFn'],
  ['the cluster secret', testSecrets.clusterSecret],
  ['the cluster secret in a URL', encodeURIComponent(testSecrets.clusterSecret)],
  ['the admin token', `Bearer ${testSecrets.adminToken}`],
])('%s is found in what an agent says', (_, secret) => {
  const text = `{"event":"a"}\n{"event":"b","cause":"${secret}"}\n`;
  expect(secretsIn(text).length).toBeGreaterThan(0);
  const folder = tempFolder();
  expect(() => checkOutput(text, folder)).toThrow('told a secret');
  expect(keptOutput(folder)).toEqual([text]);
});

it('a line without secrets is fine', () => {
  expect(secretsIn('{"event":"viewing key made","id":"1-JxEyJq"}')).toEqual([]);
});
