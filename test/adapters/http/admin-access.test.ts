import { describe, expect, it } from 'vitest';
import { createAdminRig } from '../../support/admin-rig.ts';

type Rig = ReturnType<typeof createAdminRig>;

const origin = 'http://127.0.0.1:8888/ch1/index.m3u8';
const newToken = async ({ ask }: Rig, scope: 'read' | 'write') =>
  (await ask('POST', '/api/v1/tokens', { body: { name: `for ${scope}`, scope } })).body as {
    id: string;
    token: string;
  };

describe('tokens', () => {
  it('for reading see everything and change nothing', async () => {
    const rig = createAdminRig();
    const { ask } = rig;
    const { token } = await newToken(rig, 'read');
    for (const path of ['node', 'streams', 'tokens', 'audit'])
      expect((await ask('GET', `/api/v1/${path}`, { token })).status).toBe(200);
    const body = { stream: 'ch1', address: '198.51.100.7' };
    expect((await ask('POST', '/api/v1/explain', { token, body })).status).toBe(200);
    const changes = [
      await ask('PUT', '/api/v1/streams/ch1', { token, body: { origin } }),
      await ask('DELETE', '/api/v1/streams/ch1', { token }),
      await ask('POST', '/api/v1/key/rotate', { token }),
      await ask('POST', '/api/v1/tokens', { token, body: { name: 'more', scope: 'write' } }),
    ];
    expect(changes.map(({ status, body: { code } }) => [status, code])).toEqual(
      changes.map(() => [403, 'forbidden']),
    );
    expect(rig.facts.rotations).toBe(0);
  });

  it('are good until they are revoked, and shown once', async () => {
    const rig = createAdminRig();
    const { ask } = rig;
    const { id, token } = await newToken(rig, 'write');
    expect((await ask('PUT', '/api/v1/streams/ch1', { token, body: { origin } })).status).toBe(201);
    const { body } = await ask('GET', '/api/v1/tokens');
    expect(body.tokens).toEqual([
      expect.objectContaining({ id, name: 'for write', scope: 'write', createdBy: 'admin' }),
    ]);
    expect(JSON.stringify(body)).not.toContain(token);
    expect((await ask('DELETE', `/api/v1/tokens/${id}`)).status).toBe(204);
    expect((await ask('GET', '/api/v1/key', { token })).status).toBe(401);
    expect((await ask('DELETE', `/api/v1/tokens/${id}`)).status).toBe(404);
  });

  it('are a hundred at most', async () => {
    const rig = createAdminRig();
    for (let at = 0; at < 100; at += 1) await newToken(rig, 'read');
    const body = { name: 'one more', scope: 'read' };
    const refused = await rig.ask('POST', '/api/v1/tokens', { body });
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
  });

  it.each([
    {},
    { name: '', scope: 'read' },
    { name: 'x', scope: 'all' },
    { name: 'a\nb', scope: 'read' },
  ])('are not made of %j', async (body) => {
    const { status } = await createAdminRig().ask('POST', '/api/v1/tokens', { body });
    expect(status).toBe(400);
  });
});

describe('the audit log', () => {
  it('says who changed what, from what to what, newest first, and never a token', async () => {
    const rig = createAdminRig();
    const { ask } = rig;
    const { id, token } = await newToken(rig, 'write');
    await ask('PUT', '/api/v1/streams/ch1', { token, body: { origin } });
    await ask('PUT', '/api/v1/streams/ch1', { body: { origin, reserve: false } });
    await ask('DELETE', '/api/v1/streams/ch1');
    const { body } = await ask('GET', '/api/v1/audit');
    const stream = { name: 'ch1', origin, reserve: true };
    const by = ({ who, action, target, before, after }: Record<string, unknown>) => ({
      ...{ who, action, target, before, after },
    });
    expect(body.changes.map(by)).toEqual([
      {
        ...{ who: 'admin', action: 'DELETE /streams/{name}', target: 'ch1' },
        before: { ...stream, reserve: false },
      },
      {
        ...{ who: 'admin', action: 'PUT /streams/{name}', target: 'ch1' },
        ...{ before: stream, after: { ...stream, reserve: false } },
      },
      {
        ...{ who: 'token for write', action: 'PUT /streams/{name}', target: 'ch1' },
        after: stream,
      },
      {
        ...{ who: 'admin', action: 'POST /tokens', target: id },
        after: expect.objectContaining({ name: 'for write', scope: 'write' }),
      },
    ]);
    expect(JSON.stringify(body)).not.toContain(token);
  });

  it('holds no secret of a stream; the versions of streams tell secrets apart all the same', async () => {
    const { ask } = createAdminRig();
    const put = (key: string) =>
      ask('PUT', '/api/v1/streams/ch1', {
        body: {
          origin: `${origin}?key=${key}`,
          dash: `http://127.0.0.1:8888/ch1.mpd?key=${key}`,
          archive: {
            api: { kind: 'flussonic', url: `http://reader:${key}@127.0.0.1/ch1?k=${key}` },
          },
        },
      });
    const [first, second] = [await put('secret-1'), await put('secret-2')];
    expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'));
    await ask('DELETE', '/api/v1/streams/ch1');
    const { body } = await ask('GET', '/api/v1/audit');
    expect(body.changes.map(({ action }: { action: string }) => action.split(' ')[0])).toEqual([
      ...['DELETE', 'PUT', 'PUT'],
    ]);
    expect(JSON.stringify(body)).not.toMatch(/secret|reader/);
    expect(body.changes[2].after.origin).toBe(`${origin}?key=`);
  });

  it('holds no question, nothing refused and nothing that was so already', async () => {
    const { ask } = createAdminRig();
    const body = { stream: 'ch1', address: '198.51.100.7' };
    await ask('POST', '/api/v1/explain', { body });
    await ask('DELETE', '/api/v1/streams/ch1');
    await ask('PUT', '/api/v1/streams/ch1', { body: { origin } });
    const again = await ask('PUT', '/api/v1/streams/ch1', { body: { reserve: true, origin } });
    expect(again.status).toBe(200);
    expect((await ask('GET', '/api/v1/audit')).body.changes).toHaveLength(1);
  });

  it('comes in pages, by who, action and target', async () => {
    const { ask } = createAdminRig();
    for (let at = 0; at < 5; at += 1)
      await ask('PUT', `/api/v1/streams/ch${at}`, { body: { origin } });
    const targets = async (query: string) => {
      const { changes, nextCursor } = (await ask('GET', `/api/v1/audit?${query}`)).body;
      return [changes.map(({ target }: { target: string }) => target).join(), nextCursor];
    };
    const [first, cursor] = await targets('limit=2');
    expect(first).toBe('ch4,ch3');
    expect(await targets(`limit=2&cursor=${cursor}`)).toEqual(['ch2,ch1', expect.any(String)]);
    expect(await targets('target=ch3&who=admin')).toEqual(['ch3', undefined]);
    expect(await targets('action=POST+/key/rotate')).toEqual(['', undefined]);
  });

  it('that cannot be written is an error in the log; the change stands', async () => {
    const { ask, audit, log, catalogue } = createAdminRig();
    audit.add = () => {
      throw new Error('disk is full');
    };
    expect((await ask('PUT', '/api/v1/streams/ch1', { body: { origin } })).status).toBe(201);
    expect(catalogue.get('ch1')).toBeDefined();
    expect(log.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { event: 'change not noted', fields: { action: 'PUT /streams/{name}', target: 'ch1' } },
    ]);
  });
});

describe('edits of a stream', () => {
  const path = '/api/v1/streams/ch1';

  it('lose no change of somebody else: the second of two who saw the same gets 412', async () => {
    const { ask, catalogue } = createAdminRig();
    await ask('PUT', path, { body: { origin } });
    const etag = (await ask('GET', path)).headers.get('etag') ?? '';
    const headers = { 'if-match': etag };
    const first = await ask('PUT', path, { headers, body: { origin, group: 'one' } });
    const second = await ask('PUT', path, { headers, body: { origin, group: 'two' } });
    expect([first.status, second.status, second.body.code]).toEqual([
      200,
      412,
      'precondition_failed',
    ]);
    expect(catalogue.get('ch1')?.group).toBe('one');
    expect((await ask('DELETE', path, { headers })).status).toBe(412);
    const now = first.headers.get('etag') ?? '';
    expect((await ask('DELETE', path, { headers: { 'if-match': `"x", ${now}` } })).status).toBe(
      204,
    );
  });

  it('may ask for a stream that is not there yet, or for any that is', async () => {
    const { ask } = createAdminRig();
    const put = async (headers: Record<string, string>) =>
      (await ask('PUT', path, { headers, body: { origin } })).status;
    expect(await put({ 'if-match': '*' })).toBe(412);
    expect(await put({ 'if-none-match': '*' })).toBe(201);
    expect(await put({ 'if-none-match': '*' })).toBe(412);
    expect(await put({ 'if-match': '*' })).toBe(200);
  });

  it('have the same version for the same settings, whatever their order', async () => {
    const { ask } = createAdminRig();
    const etag = async (body: object) => (await ask('PUT', path, { body })).headers.get('etag');
    const one = await etag({ origin, group: 'one' });
    expect(await etag({ group: 'one', reserve: true, origin })).toBe(one);
    expect(await etag({ group: 'two', origin })).not.toBe(one);
  });
});

describe('lists', () => {
  it('come in pages by name, and by what is asked for', async () => {
    const { ask } = createAdminRig();
    for (const name of ['c', 'a', 'b'])
      await ask('PUT', `/api/v1/streams/${name}`, {
        body: { origin, ...(name === 'b' && { group: 'one' }) },
      });
    const names = async (query: string) => {
      const { streams, nextCursor } = (await ask('GET', `/api/v1/streams?${query}`)).body;
      return [streams.map(({ name }: { name: string }) => name).join(), nextCursor];
    };
    expect(await names('limit=2')).toEqual(['a,b', 'b']);
    expect(await names('limit=2&cursor=b')).toEqual(['c', undefined]);
    expect(await names('limit=3')).toEqual(['a,b,c', undefined]);
    expect(await names('group=one')).toEqual(['b', undefined]);
    expect(await names('definedIn=file')).toEqual(['', undefined]);
    expect(await names('onAir=false')).toEqual(['a,b,c', undefined]);
    expect((await ask('GET', '/api/v1/streams?limit=1001')).status).toBe(400);
  });
});
