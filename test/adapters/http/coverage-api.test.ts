import { describe, expect, it } from 'vitest';
import { createAdminRig } from '../../support/admin-rig.ts';
import { aPeer, aStreamFacts, testNow } from '../../support/builders.ts';

const range = (startAt: number, endAt: number) => ({ startAt, endAt });
const path = '/api/v1/streams/ch1/coverage';

async function rigWith(archive: object | undefined) {
  const rig = createAdminRig();
  await rig.ask('PUT', '/api/v1/streams/ch1', {
    body: { origin: '/srv/ch1', group: 'ch1', archive },
  });
  return rig;
}

describe('the coverage of a stream', () => {
  it('is what a recorder told, joined, with its gaps', async () => {
    const rig = await rigWith({ push: true, depth_h: 48 });
    const body = { ts: [range(5_000, 9_000), range(0, 1_000), range(1_200, 2_000)] };
    expect((await rig.ask('PUT', path, { body })).status).toBe(200);
    const answer = await rig.ask('GET', path);
    expect(answer.body).toEqual({
      stream: 'ch1',
      problems: [],
      depthMs: 48 * 3_600_000,
      ts: {
        ranges: [range(0, 2_000), range(5_000, 9_000)],
        gaps: [range(2_000, 5_000)],
        span: range(0, 9_000),
        recordedMs: 6_000,
      },
      fmp4: { ranges: [], gaps: [], recordedMs: 0 },
      members: [],
    });
  });

  it('is replaced container by container', async () => {
    const rig = await rigWith({ push: true });
    await rig.ask('PUT', path, { body: { ts: [range(0, 1_000)], fmp4: [range(0, 1_000)] } });
    await rig.ask('PUT', path, { body: { ts: [] } });
    const { ts, fmp4 } = (await rig.ask('GET', path)).body;
    expect(ts).toMatchObject({ ranges: [] });
    expect(fmp4).toMatchObject({ ranges: [range(0, 1_000)] });
  });

  it('shows what other nodes of the group have, a growing range ending now', async () => {
    const rig = await rigWith({ push: true });
    const archive = { depthMs: 1_000, hls: true, dash: false, lists: true, ts: [1_000, 500, 500] };
    rig.facts.streams.set('ch1', aStreamFacts());
    rig.facts.peers = [aPeer({ streams: [aStreamFacts({ archive })] })];
    const { members } = (await rig.ask('GET', path)).body;
    expect(members).toMatchObject([
      {
        node: 'node-b',
        stream: 'ch1',
        ts: { ranges: [range(1_000, 1_500), range(2_000, testNow.wallMs)] },
      },
    ]);
  });

  it.each([
    ['an empty range', { ts: [range(5, 5)] }],
    ['a swapped range', { ts: [range(6, 5)] }],
    ['no numbers', { ts: [{ startAt: '1', endAt: '2' }] }],
    ['another container', { webm: [] }],
    ['too many', { ts: Array.from({ length: 1_001 }, (_, at) => range(at, at + 1)) }],
  ])('refuses %s', async (_, body) => {
    const rig = await rigWith({ push: true });
    expect((await rig.ask('PUT', path, { body })).status).toBe(400);
  });

  it('comes from one source only', async () => {
    const rig = await rigWith({ record: { depth_h: 72 } });
    const refused = await rig.ask('PUT', path, { body: { ts: [] } });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'conflict' });
  });

  it.each([
    ['keeps no archive', undefined],
    ['only keeps a depth', { depth_h: 24 }],
  ])('is not taken for a stream that %s: nobody would ever trim it', async (_, archive) => {
    const rig = await rigWith(archive);
    const refused = await rig.ask('PUT', path, { body: { ts: [range(0, 1_000)] } });
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect((await rig.ask('GET', path)).body.ts.ranges).toEqual([]);
  });

  it('is that of a known stream', async () => {
    const rig = await rigWith(undefined);
    expect((await rig.ask('GET', '/api/v1/streams/none/coverage')).status).toBe(404);
    expect((await rig.ask('PUT', '/api/v1/streams/none/coverage', { body: {} })).status).toBe(404);
  });
});

describe("a stream's archive settings", () => {
  it.each([
    ['two sources', { push: true, record: { depth_h: 1 } }],
    ['no depth', { record: {} }],
    ['a depth of nothing', { record: { depth_h: 0 } }],
    ['a relative folder', { directory: { path: 'srv', times: 'file-times' } }],
    ['names without a pattern', { directory: { path: '/srv', times: 'names' } }],
    ['a file for an API', { api: { kind: 'flussonic', url: 'file:///etc/passwd' } }],
    ['an unknown form', { url: 'flusonic' }],
    ['an unknown field', { depth: 5 }],
  ])('are refused with %s', async (_, archive) => {
    const rig = createAdminRig();
    const body = { origin: '/srv/ch1', archive };
    expect((await rig.ask('PUT', '/api/v1/streams/ch1', { body })).status).toBe(400);
  });

  it.each([
    [{ window: { retention_h: 24 }, url: 'flussonic' }],
    [{ directory: { path: '/srv/dvr', times: 'names', pattern: '{unix}' } }],
    [{ api: { kind: 'nimble', url: 'http://127.0.0.1:8082' } }],
    [{ push: true, url: 'dvr/{start}-{duration}.m3u8', depth_h: 0.5 }],
    [{ record: { depth_h: 72, path: '/srv/dvr', budget_mb: 1_000 }, refill: true }],
  ])('are taken as they are: %j', async (archive) => {
    const rig = createAdminRig();
    await rig.ask('PUT', '/api/v1/streams/ch1', { body: { origin: '/srv/ch1', archive } });
    const answer = await rig.ask('GET', '/api/v1/streams/ch1');
    expect(answer.body).toMatchObject({ archive });
  });
});
