import { describe, expect, it } from 'vitest';
import { createAdminRig } from '../../support/admin-rig.ts';
import { aStreamFacts, offAir } from '../../support/builders.ts';

const origin = 'http://127.0.0.1:8888/ch1/index.m3u8';

describe('streams over the API', () => {
  it('are added with 201, replaced with 200, listed by name and removed with 204', async () => {
    const { ask, catalogue } = createAdminRig();
    const added = await ask('PUT', '/api/v1/streams/ch2', { body: { origin, group: 'two' } });
    expect([added.status, added.body]).toEqual([
      201,
      { name: 'ch2', origin, group: 'two', reserve: true, definedIn: 'api', air: {} },
    ]);
    await ask('PUT', '/api/v1/streams/ch1', { body: { dash: '/srv/ch1.mpd' } });
    const replaced = await ask('PUT', '/api/v1/streams/ch2', { body: { origin, reserve: false } });
    expect([replaced.status, replaced.body.reserve, replaced.body.group]).toEqual([
      200,
      false,
      undefined,
    ]);

    const { body } = await ask('GET', '/api/v1/streams');
    expect(body.streams.map(({ name }: { name: string }) => name)).toEqual(['ch1', 'ch2']);

    const removed = await ask('DELETE', '/api/v1/streams/ch2');
    expect([removed.status, removed.body]).toEqual([204, '']);
    expect(catalogue.get('ch2')).toBeUndefined();
    expect((await ask('GET', '/api/v1/streams/ch2')).status).toBe(404);
    expect((await ask('DELETE', '/api/v1/streams/ch2')).body.code).toBe('not_found');
  });

  it.each(['sport/hd', 'Первый канал', 'a+b c&d=e', 'a;b:c@d', 'tab-€'])(
    'may be named %j',
    async (name) => {
      const { ask, catalogue } = createAdminRig();
      const path = `/api/v1/streams/${encodeURIComponent(name)}`;
      expect((await ask('PUT', path, { body: { origin } })).status).toBe(201);
      expect(catalogue.get(name)?.name).toBe(name);
      expect((await ask('GET', path)).body.name).toBe(name);
      expect((await ask('DELETE', path)).status).toBe(204);
    },
  );

  it.each([
    ['a%2F..%2Fb', 'name must not have "." or ".."'],
    ['~x', 'name must not have "~"'],
    ['a%252Fb', 'name must not contain'],
    ['a%00b', 'name must not contain'],
    ['a%3Fb', 'name must not contain'],
    ['%zz', 'name must not contain'],
    ['n'.repeat(201), 'name must have 1 to 200 characters'],
  ])('may not be named %s', async (encoded, fault) => {
    const { ask, catalogue } = createAdminRig();
    const answer = await ask('PUT', `/api/v1/streams/${encoded}`, { body: { origin } });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid']);
    expect(answer.body.faults.join()).toContain(fault);
    expect(catalogue.list()).toEqual([]);
  });

  it('with faults are refused with all of them, each named by its field', async () => {
    const { ask } = createAdminRig();
    const body = {
      origin: 'ftp://u:hunter2@host',
      dash: 7,
      reserve: 'yes',
      recorder: {},
      group: ':',
    };
    const answer = await ask('PUT', '/api/v1/streams/ch1', { body });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toMatchObject({ title: 'Bad Request', status: 400, code: 'invalid' });
    expect(
      answer.body.faults.map((fault: string) => fault.split(' ').slice(0, 2).join(' ')),
    ).toEqual(['origin must', 'dash must', 'group must', 'reserve must', 'does not']);
    expect(JSON.stringify(answer.body)).not.toContain('hunter2');
  });

  it('need an origin or an MPD', async () => {
    const { ask } = createAdminRig();
    const { body } = await ask('PUT', '/api/v1/streams/ch1', { body: {} });
    expect(body.faults).toEqual(['origin must be set where dash is not']);
  });

  it.each([
    ['no JSON', { text: '{"origin":' }, 400, 'invalid'],
    ['no object', { text: '[]' }, 400, 'invalid'],
    ['nothing', {}, 400, 'invalid'],
    [
      'a form',
      { text: 'origin=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      'unsupported_type',
    ],
    ['64 KiB and a byte', { text: `"${'x'.repeat(64 * 1024 - 1)}"` }, 413, 'too_large'],
  ])('are not made of %s', async (_, options, status, code) => {
    const { ask } = createAdminRig();
    const answer = await ask('PUT', '/api/v1/streams/ch1', options);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });

  it('are read from a body of exactly 64 KiB', async () => {
    const { ask } = createAdminRig();
    const text = JSON.stringify({ origin }).padEnd(64 * 1024);
    expect((await ask('PUT', '/api/v1/streams/ch1', { text })).status).toBe(201);
  });

  it('that come from the file are shown and not changed', async () => {
    const { ask, catalogue } = createAdminRig();
    catalogue.replaceFile([{ name: 'ch1', origin, reserve: true }]);
    expect((await ask('GET', '/api/v1/streams/ch1')).body.definedIn).toBe('file');
    for (const method of ['PUT', 'DELETE']) {
      const answer = await ask(method, '/api/v1/streams/ch1', { body: { origin } });
      expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
      expect(answer.body.detail).toContain('comes from the streams file');
    }
  });

  it('are shown with what the node sees of them', async () => {
    const { ask, facts, catalogue } = createAdminRig();
    catalogue.put({ name: 'ch1', origin, dash: '/srv/ch1.mpd', reserve: true });
    facts.streams.set(
      'ch1',
      aStreamFacts({ hls: { air: offAir('frozen') }, dash: { air: { onAir: true } } }),
    );
    expect((await ask('GET', '/api/v1/streams/ch1')).body.air).toEqual({
      hls: { onAir: false, reason: 'frozen' },
      dash: { onAir: true },
    });
  });

  it('that cannot be kept are an error of the node, logged once', async () => {
    const { ask, store, log } = createAdminRig();
    store.isFull = true;
    const answer = await ask('PUT', '/api/v1/streams/ch1', { body: { origin } });
    expect([answer.status, answer.body.code]).toEqual([500, 'store_failed']);
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
});
