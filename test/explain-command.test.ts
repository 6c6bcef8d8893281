import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../src/adapters/http/listen.ts';
import { loadConfig } from '../src/config.ts';
import { runExplain } from '../src/explain-command.ts';
import { adminToken, createAdminRig } from './support/admin-rig.ts';
import { aStreamFacts, offAir } from './support/builders.ts';
import { tempFolder } from './support/temp-folder.ts';

/** Runs the command against a node behind a real listener. */
async function withNode() {
  const rig = createAdminRig();
  const listener = await listen({ app: rig.app, host: '127.0.0.1', port: 0, log: rig.log });
  onTestFinished(() => listener.close());
  const listenAt = `127.0.0.1:${listener.address.port}`;
  const run = async (args: readonly string[], token: string | undefined = adminToken) => {
    const said: string[] = [];
    const code = await runExplain(args, {
      config: () =>
        loadConfig({
          UNDERSTUDY_ADMIN_LISTEN: listenAt,
          ...(token !== '' && { UNDERSTUDY_ADMIN_TOKEN: token }),
        }),
      say: (text) => said.push(text),
    });
    return { code, said: said.join('\n') };
  };
  return { ...rig, run, url: `http://${listenAt}` };
}

it('says in words what the viewer would get, with exit code 0 when that is something', async () => {
  const { facts, run } = await withNode();
  facts.streams.set('ch1', aStreamFacts({ name: 'ch1' }));
  const { code, said } = await run(['ch1', '--address', '198.51.100.7', '--user-agent', 'VLC/3.0']);
  expect(code).toBe(0);
  expect(said).toContain('serve: served here: the viewer came to this node first (own-viewer)');
  expect(said).toContain('viewer: vlc, public address, http, follows no backups');
});

it('ends with 1 when the viewer would get nothing, and tells all as JSON', async () => {
  const { facts, run } = await withNode();
  facts.streams.set('ch1', aStreamFacts({ name: 'ch1', hls: { air: offAir('frozen') } }));
  const { code, said } = await run(['ch1', '--address', '198.51.100.7', '--json']);
  expect([code, JSON.parse(said).placement]).toEqual([1, 'not-found']);
});

it('asks for a period, as a viewer of another node, and never shows the token of a viewer', async () => {
  const { facts, run } = await withNode();
  facts.streams.set('ch1', aStreamFacts({ name: 'ch1' }));
  const file = join(tempFolder(), 'viewer');
  writeFileSync(file, 'hush-hush\n');
  const viewer = ['ch1', '--address', '198.51.100.7', '--viewer-token', file];
  const asBackup = await run([...viewer, '--home', 'node-b']);
  expect(asBackup.said).toContain('let in by: the pass of its home node');
  expect(asBackup.said).not.toContain('hush-hush');
  const period = await run([...viewer, '--from', '1790000000', '--until', '2026-09-21T18:00:00Z']);
  expect([period.code, period.said]).toEqual([1, expect.stringContaining('nothing-recorded')]);
  await expect(run([...viewer, '--from', 'yesterday'])).rejects.toThrow(
    '"yesterday" is not a time',
  );
});

it('takes the token from a file and the node from an argument', async () => {
  const { run, url } = await withNode();
  const file = join(tempFolder(), 'token');
  writeFileSync(file, `${adminToken}\n`);
  const args = ['none', '--address', '198.51.100.7', '--node', `${url}/`, '--token-file', file];
  expect((await run(args, '')).said).toContain('unknown-stream');
  await expect(run(['none', '--address', '198.51.100.7'], '')).rejects.toThrow('--token-file');
  const wrong = run(['none', '--address', '198.51.100.7'], 'wrong-token-1234567');
  await expect(wrong).rejects.toThrow('the bearer token is missing or wrong');
});

it('says so when something else than the API answers', async () => {
  const { run } = await withNode();
  const server = createServer((_, response) => response.end('<html>not found</html>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(run(['ch1', '--address', '198.51.100.7', '--node', url])).rejects.toThrow(
    `node at ${url} does not answer as the REST API does`,
  );
});

it.each([[[]], [['ch1']], [['ch1', 'ch2', '--address', '::1']], [['ch1', '--colour', 'red']]])(
  'shows its usage and ends with 2 for %j',
  async (args) => {
    const { run } = await withNode();
    const { code, said } = await run(args);
    expect([code, said.startsWith('Usage: understudy explain')]).toEqual([2, true]);
  },
);
