import { describe, expect, it } from 'vitest';
import { errorTexts } from '../../../src/core/errors.ts';
import { adminToken, createAdminRig } from '../../support/admin-rig.ts';
import { aPeer, aStreamFacts, testNow } from '../../support/builders.ts';

const paths = ['node', 'streams', 'groups', 'peers', 'key', 'sessions'];

describe('the admin API', () => {
  it('tells of the node', async () => {
    const { ask, facts, catalogue } = createAdminRig();
    catalogue.put({ name: 'ch1', origin: '/srv/1', reserve: true });
    catalogue.put({ name: 'ch2', origin: '/srv/2', reserve: true });
    facts.streams.set('ch1', aStreamFacts());
    facts.self = { ...facts.self, overloaded: true, ownSessions: 7, backupSessions: 2 };
    facts.peers = [
      aPeer({ facts: { id: 'node-b' }, clock: { offsetMs: 312_000, roundTripMs: 1 } }),
      aPeer({ facts: { id: 'node-c' } }),
      aPeer({ facts: { id: 'node-d' }, reachability: 'unreachable' }),
    ];
    facts.key = {
      state: 'in-force',
      keys: [{ id: '1-k', generation: 1, createdAt: 5, signs: true, lackedBy: [] }],
    };
    expect((await ask('GET', '/api/v1/node')).body).toEqual({
      id: 'node-a',
      version: '0.1.0',
      protocol: 1,
      startedAt: testNow.wallMs - 60_000,
      publicUrl: 'http://node-a.example.net',
      addresses: [],
      draining: false,
      load: {
        ...{ overloaded: true, atBackupLimit: false, weight: 1 },
        cpu: { state: 'unknown' },
        network: { state: 'unknown' },
      },
      clock: { at: testNow.wallMs, wrongNodes: ['node-b'] },
      registry: { kind: 'peers', peers: 3, reachable: 2 },
      key: { state: 'in-force', signing: '1-k' },
      counts: { streams: 2, onAir: 1, ownSessions: 7, backupSessions: 2 },
    });
  });

  it('tells of peers, also of one that was never heard, and of strangers', async () => {
    const { ask, facts } = createAdminRig();
    const { facts: _, clock: __, heardAt: ___, ...silent } = aPeer({ reachability: 'unknown' });
    facts.peers = [
      aPeer({ heardAt: testNow.monoMs - 1500.4, clock: { offsetMs: -12, roundTripMs: 3 } }),
      { ...silent, url: 'http://c:8082', fault: 'unanswered', streams: new Map() },
    ];
    facts.strangers = [{ id: 'node-x', lastAskedAt: 9 }];
    const { body } = await ask('GET', '/api/v1/peers');
    expect(body.peers[0]).toMatchObject({
      id: 'node-b',
      reachability: 'reachable',
      lastSeenAt: testNow.wallMs - 1500,
      clockOffsetMs: -12,
      streams: 1,
    });
    expect(body.peers[1]).toEqual({
      url: 'http://c:8082',
      reachability: 'unknown',
      fault: 'unanswered',
      streams: 0,
    });
    expect(body.strangers).toEqual([{ id: 'node-x', lastAskedAt: 9 }]);
  });

  it('tells of groups, and of one by its name', async () => {
    const { ask, facts } = createAdminRig();
    const group = {
      name: 'sport/1',
      state: 'degraded' as const,
      problems: [{ code: 'clock-skew' as const, text: 'the clocks differ', node: 'node-b' }],
      members: [
        {
          node: 'node-b',
          stream: 'ch1',
          eligible: false,
          reasons: ['clock-skew' as const],
          onAir: true,
          source: 'declared' as const,
          clockOffsetMs: 312_000,
        },
      ],
    };
    facts.groups = [group];
    expect((await ask('GET', '/api/v1/groups')).body).toEqual({ groups: [group] });
    expect((await ask('GET', '/api/v1/groups/sport%2F1')).body).toEqual(group);
    const unknown = await ask('GET', '/api/v1/groups/none');
    expect([unknown.status, unknown.body.detail]).toEqual([404, 'there is no group "none"']);
  });

  it('rotates the viewing key by POST only, and tells of keys without their secrets', async () => {
    const { ask, facts } = createAdminRig();
    const secret = { secret: new Uint8Array(32) };
    facts.key = {
      state: 'spreading',
      keys: [
        { id: '2-k', generation: 2, createdAt: 5, signs: false, lackedBy: ['node-b'], ...secret },
      ],
    };
    expect((await ask('GET', '/api/v1/key/rotate')).status).toBe(405);
    expect(facts.rotations).toBe(0);
    const answer = await ask('POST', '/api/v1/key/rotate');
    expect([answer.status, facts.rotations]).toEqual([200, 1]);
    expect((await ask('GET', '/api/v1/key')).body.keys).toEqual([
      { id: '2-k', generation: 2, createdAt: 5, signs: false, lackedBy: ['node-b'] },
    ]);
  });

  it('pages and filters sessions', async () => {
    const { ask, sessions } = createAdminRig();
    for (let at = 0; at < 5; at += 1)
      sessions.start(
        {
          id: `s${at}`,
          stream: at < 3 ? 'ch1' : 'sport/hd',
          kind: at % 2 === 0 ? 'own' : 'backup',
          home: 'node-a',
          family: 'browser',
          backups: ['node-b'],
        },
        testNow,
      );
    const ids = async (query: string) => {
      const { body } = await ask('GET', `/api/v1/sessions${query}`);
      return [body.total, ...body.sessions.map(({ id }: { id: string }) => id)];
    };
    expect(await ids('')).toEqual([5, 's0', 's1', 's2', 's3', 's4']);
    expect(await ids('?cursor=1&limit=2')).toEqual([5, 's1', 's2']);
    expect(await ids('?stream=sport/hd')).toEqual([2, 's3', 's4']);
    expect(await ids('?kind=backup&stream=ch1')).toEqual([1, 's1']);
    expect(await ids('?home=node-b')).toEqual([0]);
  });

  it.each(['limit=0', 'limit=1001', 'limit=x', 'cursor=-1', 'kind=other', 'colour=red'])(
    'refuses sessions by ?%s',
    async (query) => {
      const { ask } = createAdminRig();
      const { status, body } = await ask('GET', `/api/v1/sessions?${query}`);
      expect([status, body.code, body.faults.length]).toEqual([400, 'invalid', 1]);
    },
  );

  it('answers every fault as problem+json with a code', async () => {
    const { ask } = createAdminRig();
    const cases = [
      [await ask('GET', '/nowhere'), 404, 'not_found'],
      [await ask('GET', '/api/v1/nothing'), 404, 'not_found'],
      [await ask('POST', '/api/v1/streams'), 405, 'method_not_allowed'],
      [await ask('PATCH', '/api/v1/streams/ch1'), 405, 'method_not_allowed'],
      [await ask('POST', '/healthz'), 405, 'method_not_allowed'],
    ] as const;
    for (const [answer, status, code] of cases) {
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      expect(answer.body).toEqual({
        title: expect.any(String),
        status,
        code,
        detail: expect.any(String),
      });
      expect(answer.status).toBe(status);
    }
    expect(cases[3][0].headers.get('allow')).toBe('GET, HEAD, PUT, DELETE');
  });

  it('hides what went wrong in the agent itself, logs it once and goes on', async () => {
    const { ask, facts, log } = createAdminRig();
    facts.self = undefined as never;
    const { status, body } = await ask('GET', '/api/v1/node');
    expect([status, body]).toEqual([
      500,
      {
        title: 'Internal Server Error',
        status: 500,
        code: 'internal',
        detail: errorTexts.internal,
      },
    ]);
    expect(log.lines).toEqual([
      expect.objectContaining({
        level: 'error',
        fields: { path: '/api/v1/node', method: 'GET', cause: expect.any(TypeError) },
      }),
    ]);
    expect((await ask('GET', '/api/v1/key')).status).toBe(200);
  });

  it('sends nothing that a browser may keep, frame or run', async () => {
    const { ask } = createAdminRig();
    for (const { headers } of [await ask('GET', '/api/v1/key'), await ask('GET', '/nowhere')]) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('answers probes without a token, and says what it still waits for', async () => {
    const { ask, facts } = createAdminRig();
    const token = undefined;
    expect((await ask('GET', '/healthz', { token })).body).toEqual({ ok: true });
    expect((await ask('GET', '/readyz', { token })).body).toEqual({ ok: true });
    facts.unready = 'streams are not read yet';
    const waiting = await ask('GET', '/readyz', { token });
    expect([waiting.status, waiting.body.code, waiting.body.detail]).toEqual([
      503,
      'not_ready',
      'streams are not read yet',
    ]);
    expect((await ask('GET', '/healthz', { token })).status).toBe(200);
  });

  it('describes itself without a token', async () => {
    const { ask } = createAdminRig();
    const { status, body } = await ask('GET', '/openapi.json', { token: undefined });
    expect([status, body.openapi]).toEqual([200, '3.1.0']);
    for (const path of paths) expect(Object.keys(body.paths)).toContain(`/api/v1/${path}`);
  });
});

describe('the bearer token', () => {
  it.each(paths)('is needed for /%s', async (path) => {
    const { ask } = createAdminRig();
    expect((await ask('GET', `/api/v1/${path}`)).status).toBe(200);
    for (const token of [undefined, 'wrong', `${adminToken}x`, '']) {
      const { status, body, headers } = await ask('GET', `/api/v1/${path}`, { token });
      expect([status, body.code]).toEqual([401, 'unauthorized']);
      expect(headers.get('www-authenticate')).toMatch(/^Bearer /);
    }
  });

  it('is needed before anything is told of a path or read of a body', async () => {
    const { ask } = createAdminRig();
    expect((await ask('GET', '/api/v1/nothing', { token: undefined })).status).toBe(401);
    const text = 'x'.repeat(70_000);
    expect((await ask('PUT', '/api/v1/streams/a', { token: undefined, text })).status).toBe(401);
  });

  it('does not travel in another form', async () => {
    const { ask } = createAdminRig();
    const token = undefined;
    const basic = { authorization: `Basic ${adminToken}` };
    expect((await ask('GET', '/api/v1/key', { token, headers: basic })).status).toBe(401);
    expect((await ask('GET', `/api/v1/key?token=${adminToken}`, { token })).status).toBe(401);
  });

  it('may be wrong ten times a minute per address; then the right one has to wait, too', async () => {
    const { ask, facts } = createAdminRig();
    const from = '203.0.113.9';
    for (let at = 0; at < 9; at += 1) await ask('GET', '/api/v1/key', { token: 'wrong', from });
    expect((await ask('GET', '/api/v1/key', { from })).status).toBe(200);
    expect((await ask('GET', '/api/v1/key', { token: 'wrong', from })).status).toBe(401);

    const { status, body, headers } = await ask('GET', '/api/v1/key', { from });
    expect([status, body.code]).toEqual([429, 'too_many_attempts']);
    expect(headers.get('retry-after')).toBe('60');
    expect((await ask('GET', '/api/v1/key', { from: '203.0.113.10' })).status).toBe(200);
    expect((await ask('GET', '/healthz', { from })).status).toBe(200);

    facts.now.monoMs += 59_999;
    expect((await ask('GET', '/api/v1/key', { from })).status).toBe(429);
    facts.now.monoMs += 1;
    expect((await ask('GET', '/api/v1/key', { from })).status).toBe(200);
  });

  it('that is missing is no attempt', async () => {
    const { ask } = createAdminRig();
    for (let at = 0; at < 20; at += 1) await ask('GET', '/api/v1/key', { token: undefined });
    expect((await ask('GET', '/api/v1/key')).status).toBe(200);
  });

  it('that cannot be judged is no attempt: 503 until the identity provider can be asked', async () => {
    const { ask, facts } = createAdminRig();
    facts.judgement = 'unavailable';
    for (let at = 0; at < 20; at += 1) {
      const { status, body } = await ask('GET', '/api/v1/key', { token: 'of.a.provider' });
      expect([status, body.code]).toEqual([503, 'not_ready']);
    }
    facts.judgement = { who: 'user anna', scope: 'read' };
    expect((await ask('GET', '/api/v1/key', { token: 'of.a.provider' })).status).toBe(200);
  });

  it('is counted per address behind a trusted proxy, and behind no other', async () => {
    const { ask } = createAdminRig({ trustedProxies: ['192.0.2.0/24'] });
    const from = (socket: string, forwarded: string, token = adminToken) =>
      ask('GET', '/api/v1/key', {
        ...{ token, from: socket, headers: { 'x-forwarded-for': forwarded } },
      });
    for (let at = 0; at < 10; at += 1) {
      await from('192.0.2.1', '203.0.113.1', 'wrong');
      await from('198.51.100.1', `203.0.113.${100 + at}`, 'wrong');
    }
    expect((await from('192.0.2.1', '203.0.113.1')).status).toBe(429);
    expect((await from('192.0.2.1', '203.0.113.2')).status).toBe(200);
    expect((await from('198.51.100.1', '203.0.113.3')).status).toBe(429);
  });

  it('is counted per /64 of IPv6, and per address of IPv4 in IPv6', async () => {
    const { ask } = createAdminRig();
    for (let at = 0; at < 10; at += 1)
      await ask('GET', '/api/v1/key', { token: 'wrong', from: `2001:db8:0:1::${at}` });
    expect((await ask('GET', '/api/v1/key', { from: '2001:db8:0:1:ffff::1' })).status).toBe(429);
    expect((await ask('GET', '/api/v1/key', { from: '2001:db8:0:2::1' })).status).toBe(200);
    for (let at = 0; at < 10; at += 1)
      await ask('GET', '/api/v1/key', { token: 'wrong', from: '::ffff:203.0.113.1' });
    expect((await ask('GET', '/api/v1/key', { from: '203.0.113.1' })).status).toBe(429);
    expect((await ask('GET', '/api/v1/key', { from: '::ffff:203.0.113.2' })).status).toBe(200);
  });

  it('is counted for a thousand addresses; further ones push the longest known out', async () => {
    const { ask } = createAdminRig();
    const wrong = (from: string) => ask('GET', '/api/v1/key', { token: 'wrong', from });
    for (let at = 0; at < 10; at += 1) await wrong('192.0.2.1');
    const others = (from: number, to: number) =>
      Promise.all(
        Array.from({ length: to - from }, (_, at) =>
          wrong(`10.0.${(from + at) >> 8}.${(from + at) & 255}`),
        ),
      );
    await others(0, 999);
    expect((await ask('GET', '/api/v1/key', { from: '192.0.2.1' })).status).toBe(429);
    await others(999, 1000);
    expect((await ask('GET', '/api/v1/key', { from: '192.0.2.1' })).status).toBe(200);
  });
});
