import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createAdminRig } from './support/admin-rig.ts';
import { createApiClient } from './support/api-client.ts';
import { aPeer, aStreamFacts } from './support/builders.ts';

const document = JSON.parse(
  readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8'),
) as { paths: Record<string, object> };

const allCalls = Object.entries(document.paths)
  .flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method} ${path}`))
  .sort();

const origin = 'http://127.0.0.1:8888/ch1/index.m3u8';

it('every call of the API works through the client made from its description', async () => {
  const rig = createAdminRig();
  rig.facts.streams.set('ch1', aStreamFacts({ name: 'ch1', group: 'one' }));
  rig.facts.peers = [aPeer({})];
  rig.facts.groups = [{ name: 'one', state: 'reserve', problems: [], members: [] }];
  const { client, asked } = createApiClient(rig);
  const path = { name: 'ch1' };

  const added = await client.PUT('/api/v1/streams/{name}', {
    params: { path, header: { 'if-none-match': '*' } },
    body: { origin, group: 'one', archive: { push: true, depth_h: 24 } },
  });
  expect([added.response.status, added.data?.group]).toEqual([201, 'one']);
  const one = await client.GET('/api/v1/streams/{name}', { params: { path } });
  expect(one.data?.definedIn).toBe('api');
  const streams = await client.GET('/api/v1/streams', {
    params: { query: { group: 'one', onAir: 'true', limit: 10 } },
  });
  expect(streams.data?.streams.map(({ name }) => name)).toEqual(['ch1']);
  const explained = await client.POST('/api/v1/explain', {
    body: { stream: 'ch1', address: '198.51.100.7', protocol: 'hls', https: false },
  });
  expect(explained.data?.placement).toBe('serve');
  const coverage = await client.GET('/api/v1/streams/{name}/coverage', { params: { path } });
  expect(coverage.data?.ts.ranges).toEqual([]);
  const told = await client.PUT('/api/v1/streams/{name}/coverage', {
    params: { path },
    body: { ts: [{ startAt: 0, endAt: 1_000 }] },
  });
  expect(told.data?.ts.recordedMs).toBe(1_000);
  const etag = one.response.headers.get('etag') ?? '';
  const removed = await client.DELETE('/api/v1/streams/{name}', {
    params: { path, header: { 'if-match': etag } },
  });
  expect(removed.response.status).toBe(204);

  expect((await client.GET('/api/v1/node')).data?.id).toBe('node-a');
  expect((await client.GET('/api/v1/groups')).data?.groups).toHaveLength(1);
  const group = await client.GET('/api/v1/groups/{name}', { params: { path: { name: 'one' } } });
  expect(group.data?.state).toBe('reserve');
  expect((await client.GET('/api/v1/peers')).data?.peers[0]?.id).toBe('node-b');
  expect((await client.GET('/api/v1/key')).data?.state).toBe('missing');
  expect((await client.POST('/api/v1/key/rotate')).response.status).toBe(200);
  expect((await client.GET('/api/v1/sessions')).data?.total).toBe(0);

  const ended = await client.DELETE('/api/v1/sessions/{id}', {
    params: { path: { id: 'AAAAAAAAAAAAAAAAAAAAAA' } },
  });
  expect(ended.response.status).toBe(404);

  const made = await client.POST('/api/v1/tokens', { body: { name: 'grafana', scope: 'read' } });
  expect(made.data?.token).toMatch(/^[\w-]{43}$/);
  expect((await client.GET('/api/v1/tokens')).data?.tokens).toHaveLength(1);
  const id = made.data?.id ?? '';
  const revoked = await client.DELETE('/api/v1/tokens/{id}', { params: { path: { id } } });
  expect(revoked.response.status).toBe(204);
  const { data } = await client.GET('/api/v1/audit', { params: { query: { limit: 5 } } });
  expect(data?.changes.map(({ action }) => action)).toEqual([
    'DELETE /tokens/{id}',
    'POST /tokens',
    'POST /key/rotate',
    'DELETE /streams/{name}',
    'PUT /streams/{name}',
  ]);

  expect((await client.POST('/api/v1/alerts/test')).data?.targets).toEqual([]);
  const trial = await client.POST('/api/v1/streams/{name}/trial', { params: { path } });
  expect(trial.data?.entry).toContain('/ch1/index.m3u8');

  const drill = await client.POST('/api/v1/drills', {
    body: { stream: 'ch1', failure: 'frozen', durationS: 10, families: ['shaka'] },
  });
  expect([drill.response.status, drill.data?.wish.sharePercent]).toEqual([201, 100]);
  expect((await client.GET('/api/v1/drills')).data?.drills).toHaveLength(1);
  const drillId = { path: { id: drill.data?.id ?? '' } };
  const found = await client.GET('/api/v1/drills/{id}', { params: drillId });
  expect(found.data?.wish.failure).toBe('frozen');
  const stopped = await client.DELETE('/api/v1/drills/{id}', { params: drillId });
  expect(stopped.data?.state).toBe('stopped');

  const live = await client.GET('/api/v1/live', { parseAs: 'stream' });
  const first = await live.data?.getReader().read();
  expect(new TextDecoder().decode(first?.value)).toMatch(/^event: node\ndata: \{"id":"node-a"/);
  expect((await client.GET('/api/v1/alerts')).data?.alerts).toEqual([]);
  expect((await client.GET('/api/v1/history')).data?.nodes).toEqual([]);
  expect((await client.GET('/api/v1/forecast')).data?.forecasts).toEqual([]);
  expect((await client.POST('/api/v1/drain')).data?.draining).toBe(true);
  expect((await client.DELETE('/api/v1/drain')).data?.draining).toBe(false);
  const metrics = await client.GET('/metrics', { parseAs: 'text' });
  expect(metrics.data).toContain('understudy_build_info{version="0.1.0"} 1');
  expect((await client.GET('/healthz')).data).toEqual({ ok: true });
  expect((await client.GET('/readyz')).data).toEqual({ ok: true });

  expect([...asked].sort()).toEqual(allCalls);
});
