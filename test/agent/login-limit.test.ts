import { describe, expect, it } from 'vitest';
import type { AuthAnswer } from '../../src/agent/auth-ports.ts';
import { hash32 } from '../../src/core/hash.ts';
import { createFakeAuthority } from '../support/fake-authority.ts';
import { type GroupNode, passIn, startGroup, urisOf } from '../support/group-rig.ts';

const saidBy = (answer: Response) => [answer.status, answer.headers.get('x-understudy-reason')];
const tooMany = [403, 'login-limit'];

/** Tokens are `login` or `login:limit`; `bad` is nobody's. */
function readToken(token: string): AuthAnswer {
  const [login, limit] = token.split(':');
  if (login === 'bad') return { kind: 'denied' };
  return { kind: 'granted', login, ...(limit !== undefined && { sessionsMax: Number(limit) }) };
}

async function start(count: number, loginLimitScope: 'node' | 'group' = 'node') {
  const authority = createFakeAuthority(({ token }) => readToken(token));
  const rig = await startGroup(count, () => ({ authority, loginLimitScope }));
  return { rig, authority };
}

const open = (node: GroupNode, token: string, device = 1) =>
  node.ask(`/ch1/index.m3u8?token=${token}`, { address: `203.0.113.${device}` });

/** Opens, and gives the media playlists of the answer, the node's own first. */
const watch = async (node: GroupNode, token: string, device = 1) =>
  urisOf(await (await open(node, token, device)).text());

describe('a node that asks viewers for a token', { timeout: 60_000 }, () => {
  it('lets nobody open without one, nor with a bad one, nor reload without a pass', async () => {
    const { rig } = await start(1);
    const [a] = rig.nodes;
    if (a === undefined) return;
    expect(saidBy(await a.ask('/ch1/index.m3u8'))).toEqual([403, 'auth-missing']);
    expect(saidBy(await open(a, 'bad'))).toEqual([403, 'auth-denied']);
    expect(saidBy(await a.ask('/ch1/high/video.m3u8'))).toEqual([403, 'auth-missing']);
    expect(saidBy(await a.ask('/ch1/high/video.m3u8?token=anna'))).toEqual([403, 'auth-missing']);
    const [media = ''] = await watch(a, 'anna');
    expect((await a.ask(`/ch1/${media}`)).status).toBe(200);
  });

  it('takes the token also as Authorization, and asks nobody for a viewer who has a pass', async () => {
    const { rig, authority } = await start(2);
    const a = rig.node(0);
    const headers = { authorization: 'Bearer anna' };
    const answer = await a.ask('/ch1/index.m3u8', { headers });
    const playlist = await answer.text();
    expect(answer.status).toBe(200);
    const at = playlist.split('\n').find((line) => line.startsWith(rig.node(1).base)) ?? '';
    expect((await rig.node(1).ask(at)).status).toBe(200);
    expect((await a.ask(`/ch1/index.m3u8?pass=${passIn(playlist)}`)).status).toBe(200);
    expect(authority.asked).toHaveLength(1);
  });

  it('tells the token to nobody else: not to origin, other nodes, playlists, sessions or the log', async () => {
    const { rig } = await start(2);
    const [a, b] = [rig.node(0), rig.node(1)];
    const token = 'hush-hush';
    const answer = await a.ask(`/ch1/index.m3u8?x=1&token=${token}&y=2`);
    const playlist = await answer.text();
    await a.ask(`/ch1/${urisOf(playlist)[0]}&token=${token}`);
    await a.ask(`/ch1/high/none.ts?token=${token}`);
    a.configure([]);
    await rig.run(1_000);
    const sentOn = await a.ask(`/ch1/index.m3u8?x=1&token=${token}&y=2`);
    const location = sentOn.headers.get('location') ?? '';
    expect(location).toMatch(/\/ch1\/index\.m3u8\?x=1&y=2&pass=/);
    const claims = Buffer.from(location.split('.').at(-2) ?? '', 'base64url').toString();
    expect(JSON.parse(claims)).toMatchObject({ lgn: token });
    const said = [
      playlist.replaceAll(/pass=[^&\s"]+/g, ''),
      location.replace(/pass=.*/, ''),
      JSON.stringify([a.log, b.log, a.origin.requests, b.origin.requests]),
    ];
    expect(said.join('\n')).not.toContain(token);
  });

  it('keeps a parameter of that name for the player where no token is asked for', async () => {
    const rig = await startGroup(2);
    rig.node(0).configure([]);
    await rig.run(1_000);
    const answer = await rig.node(0).ask('/ch1/index.m3u8?token=mine');
    expect(answer.headers.get('location')).toContain('?token=mine&pass=');
  });

  it('answers 404 while it cannot be found out, and 403 only for a denial', async () => {
    const authority = createFakeAuthority(() => ({ kind: 'unavailable', cause: 'down' }));
    const rig = await startGroup(1, () => ({ authority }));
    expect(saidBy(await open(rig.node(0), 'anna'))).toEqual([404, 'auth-unavailable']);
  });
});

describe('a login with a limit', { timeout: 60_000 }, () => {
  it.each([
    [1, 0],
    [2, 1],
    [3, 2],
  ])('of 2 opens session %i when %i are watched', async (device, before) => {
    const { rig } = await start(1);
    const a = rig.node(0);
    for (let other = 1; other <= before; other += 1) await watch(a, 'anna:2', 100 + other);
    const said = saidBy(await open(a, 'anna:2', device));
    expect(said).toEqual(before < 2 ? [200, 'own-viewer'] : tooMany);
    expect((await open(a, 'ben:2', device)).status).toBe(200);
    expect((await open(a, 'carl', device)).status).toBe(200);
  });

  it('of 0 opens none', async () => {
    const { rig } = await start(1);
    expect(saidBy(await open(rig.node(0), 'anna:0'))).toEqual(tooMany);
  });

  it('has the place back 30 s after the last request, not while somebody watches', async () => {
    const { rig } = await start(1);
    const a = rig.node(0);
    const [media = ''] = await watch(a, 'anna:1', 1);
    for (let times = 0; times < 4; times += 1) {
      await a.ask(`/ch1/${media}`, { address: '203.0.113.1' });
      expect(saidBy(await open(a, 'anna:1', 2))).toEqual(tooMany);
      await rig.run(10_000, 500);
    }
    await rig.run(22_000, 500);
    expect((await open(a, 'anna:1', 2)).status).toBe(200);
  });

  it('lets go of what the same player watched before: zapping and reloading the page', async () => {
    const { rig } = await start(1);
    const a = rig.node(0);
    await watch(a, 'anna:1', 1);
    expect((await open(a, 'anna:1', 1)).status).toBe(200);
  });

  it('is not shared by two logins whose 32-bit hashes are the same', async () => {
    const [one, other] = ['login-81729', 'login-367964'];
    expect(hash32(one)).toBe(hash32(other));
    const { rig } = await start(1);
    const a = rig.node(0);
    await watch(a, `${one}:1`, 1);
    expect((await open(a, `${other}:1`, 2)).status).toBe(200);
  });

  it('by node counts each node by itself, by group all together', async () => {
    for (const [scope, said] of [
      ['node', [200, 'own-viewer']],
      ['group', tooMany],
    ] as const) {
      const { rig } = await start(2, scope);
      const [a, b] = [rig.node(0), rig.node(1)];
      await watch(a, 'anna:1', 1);
      await rig.run(1_500);
      expect(saidBy(await open(b, 'anna:1', 2))).toEqual(said);
    }
  });

  it('moves its place with the session when the home node dies, and takes no second one', async () => {
    const { rig } = await start(3, 'group');
    const [a, b, c] = [rig.node(0), rig.node(1), rig.node(2)];
    const uris = await watch(a, 'anna:2', 1);
    await rig.run(1_500);
    a.kill();
    await rig.run(3_000);
    const atB = uris.find((uri) => uri.startsWith(b.base)) ?? '';
    expect((await b.ask(atB, { address: '203.0.113.1' })).status).toBe(200);
    await rig.run(1_500);
    expect((await open(c, 'anna:2', 2)).status).toBe(200);
    await rig.run(1_500);
    expect(saidBy(await open(b, 'anna:2', 3))).toEqual(tooMany);
  });

  it('takes one place for a viewer who is sent on', async () => {
    const { rig } = await start(2, 'group');
    const [a, b] = [rig.node(0), rig.node(1)];
    a.configure([]);
    await rig.run(1_500);
    const location = (await open(a, 'anna:2', 1)).headers.get('location') ?? '';
    expect((await b.ask(location, { address: '203.0.113.1' })).status).toBe(200);
    await rig.run(1_500);
    expect((await open(b, 'anna:2', 2)).status).toBe(200);
    expect(saidBy(await open(b, 'anna:2', 3))).toEqual(tooMany);
  });
});

describe('equal players behind one address', { timeout: 60_000 }, () => {
  const reload = async (node: GroupNode, media = '') =>
    saidBy(await node.ask(media.startsWith('http') ? media : `/ch1/${media}`));

  it('watch as many at once as their login may: one more, and the oldest has to let go', async () => {
    const { rig } = await start(1);
    const a = rig.node(0);
    const medias: (string | undefined)[] = [];
    for (let player = 0; player < 10; player += 1) medias.push((await watch(a, 'anna:2'))[0]);
    const said = await Promise.all(medias.map((media) => reload(a, media)));
    const served = [200, 'own-viewer'];
    expect(said).toEqual([...Array.from({ length: 8 }, () => tooMany), served, served]);
    await rig.run(40_000, 500);
    expect(await reload(a, medias[9])).toEqual(served);
    expect(await reload(a, medias[0])).toEqual(tooMany);
  });

  it('leave the others of the login alone', async () => {
    const { rig } = await start(1);
    const a = rig.node(0);
    const [other] = await watch(a, 'anna:2', 7);
    const [first] = await watch(a, 'anna:2', 1);
    await watch(a, 'anna:2', 1);
    expect(await reload(a, other)).toEqual([200, 'own-viewer']);
    expect(await reload(a, first)).toEqual(tooMany);
    expect(saidBy(await open(a, 'anna:2', 8))).toEqual(tooMany);
  });

  it.each(['node', 'group'] as const)(
    'with scope %s do not go on at a backup after they had to let go',
    async (scope) => {
      const { rig } = await start(2, scope);
      const [a, b] = [rig.node(0), rig.node(1)];
      const atB = (await watch(a, 'anna:1')).find((uri) => uri.startsWith(b.base));
      const latest = (await watch(a, 'anna:1')).find((uri) => uri.startsWith(b.base));
      await rig.run(1_500);
      expect(await reload(b, atB)).toEqual(tooMany);
      expect(await reload(b, latest)).toEqual([200, 'backup-viewer']);
    },
  );

  it('of two nodes that count together: the older one lets go at its node', async () => {
    const { rig } = await start(2, 'group');
    const [a, b] = [rig.node(0), rig.node(1)];
    const [older] = await watch(a, 'anna:1');
    await rig.run(1_500);
    const [newer] = await watch(b, 'anna:1');
    await rig.run(1_500);
    expect(await reload(a, older)).toEqual(tooMany);
    expect(await reload(b, newer)).toEqual([200, 'own-viewer']);
    expect(saidBy(await open(a, 'anna:1', 5))).toEqual(tooMany);
  });
});
