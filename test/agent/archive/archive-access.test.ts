import { describe, expect, it, onTestFinished } from 'vitest';
import type { TimeRange } from '../../../src/core/archive/ranges.ts';
import { record } from '../../support/fake-archive.ts';
import { createFakeAuthority } from '../../support/fake-authority.ts';
import { passIn, startGroup, urisOf } from '../../support/group-rig.ts';
import { startOrigin } from '../../support/origin-servers.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const granted = { kind: 'granted', login: 'anna', sessionsMax: 9 } as const;

type Access = 'with a token' | 'freely';
const accesses: readonly Access[] = ['with a token', 'freely'];

/** What viewers bring in order to open. */
const tokenFor = (access: Access) => (access === 'freely' ? '' : '?token=secret');

/** Node A has the first 40 minutes of an hour, node B the last 40. */
async function joinedGroup(access: Access) {
  const authority = createFakeAuthority(({ token }) =>
    token === 'secret' ? granted : { kind: 'denied' },
  );
  const rig = await startGroup(2, () => ({
    stream: { archive: { push: true } },
    ...(access === 'with a token' && { authority }),
  }));
  const fromMs = Math.floor(rig.node(0).clock.now().wallMs / minuteMs) * minuteMs - 2 * hourMs;
  const part = (from: number, to: number): TimeRange => ({
    startMs: fromMs + from * minuteMs,
    endMs: fromMs + to * minuteMs,
  });
  record(rig.node(0), [part(0, 40)]);
  record(rig.node(1), [part(20, 60)]);
  await rig.run(8_000, 1_000);
  const fromS = fromMs / 1_000;
  const open = (lengthS: number) =>
    rig.node(0).ask(`/ch1/index-${fromS}-${lengthS}.m3u8${tokenFor(access)}`);
  return { rig, fromS, open, first: fromS / 6 };
}

const withoutPass = (uri: string) => uri.replace(/[?&]pass=[^&]*/, '');
const reasonOf = async (answer: Response) => [answer.status, Object(await answer.json()).code];

describe.each(accesses)('the archive, watched %s', { timeout: 30_000 }, (access) => {
  it.each([
    [1_200, 200],
    // Where the nodes change one segment comes twice: their recordings were made apart.
    [3_600, 601],
  ])(
    'is played by who opened it, own segments and those of others: %i s',
    async (lengthS, count) => {
      const { rig, open, first } = await joinedGroup(access);
      const [uri = ''] = urisOf(await (await open(lengthS)).text());
      const media = await rig.node(0).ask(`/ch1/${uri}`);
      expect(media.status).toBe(200);
      const segments = urisOf(await media.text());
      expect(segments).toHaveLength(count);
      const [own = '', last = ''] = [segments[0], segments.at(-1)];
      const isOfOther = last.startsWith('http://node-b.example.net/ch1/');
      expect(isOfOther).toBe(count > 200);
      const below = (segment: string) => `/ch1/~archive/high/video.m3u8/${segment}`;
      expect((await rig.node(0).ask(below(own))).status).toBe(200);
      const answer = isOfOther ? rig.node(1).ask(last) : rig.node(0).ask(below(last));
      expect((await answer).status).toBe(200);
      expect(withoutPass(last)).toContain(`${first + lengthS / 6 - 1}.ts`);
    },
  );

  it('needs no more than that at the nodes named as backups', async () => {
    const { rig, open } = await joinedGroup(access);
    const backup = urisOf(await (await open(3_600)).text()).find((uri) => uri.startsWith('http'));
    const media = await rig.node(1).ask(backup ?? '');
    expect([media.status, urisOf(await media.text()).length]).toEqual([200, 601]);
  });

  it('ends for a viewer whose session is ended', async () => {
    const { rig, open } = await joinedGroup(access);
    const multivariant = await (await open(1_200)).text();
    const [uri = ''] = urisOf(multivariant);
    const [session] = rig.node(0).agent.sessions.list({ offset: 0, limit: 10 }).sessions;
    rig.node(0).agent.notes.end({ id: session?.id ?? '', untilS: 1e11 });
    expect(await reasonOf(await rig.node(0).ask(`/ch1/${uri}`))).toEqual([403, 'session-ended']);
  });

  it('counts what it sends to a session', async () => {
    const { rig, open } = await joinedGroup(access);
    const [uri = ''] = urisOf(await (await open(1_200)).text());
    const sent = () =>
      rig.node(0).agent.sessions.list({ offset: 0, limit: 10 }).sessions[0]?.bytes ?? 0;
    const opened = sent();
    expect(opened).toBeGreaterThan(0);
    const media = await (await rig.node(0).ask(`/ch1/${uri}`)).text();
    expect(Math.abs(sent() - opened - media.length)).toBeLessThan(256);
  });
});

describe('the archive, where viewers bring tokens', { timeout: 30_000 }, () => {
  it('gives no playlist and no list of segments without a pass', async () => {
    const { rig, fromS, open } = await joinedGroup('with a token');
    const [uri = ''] = urisOf(await (await open(1_200)).text());
    const list = `~archive/high/video.m3u8/${fromS}-60.json`;
    for (const path of [
      `index-${fromS}-1200.m3u8`,
      withoutPass(uri),
      list,
      `${list}?token=secret`,
      `~archive/high/video.m3u8/${fromS}-604800.json`,
      '~archive/~origin/high/video.m3u8',
      '~archive/~origin/high/video.m3u8?token=secret',
    ])
      expect(await reasonOf(await rig.node(0).ask(`/ch1/${path}`))).toEqual([403, 'auth-missing']);
    const pass = passIn(`?pass=${/pass=([^&\s]+)/.exec(uri)?.[1]}`);
    const listed = await rig.node(0).ask(`/ch1/${list}?pass=${pass}`);
    expect([listed.status, Object(await listed.json()).length]).toEqual([200, 10]);
    expect((await rig.node(0).ask(`/ch1/${list}?pass=${pass}x`)).status).toBe(403);
  });

  it('is not opened with a token that is no good', async () => {
    const { rig, fromS } = await joinedGroup('with a token');
    const path = `/ch1/index-${fromS}-1200.m3u8?token=wrong`;
    expect(await reasonOf(await rig.node(0).ask(path))).toEqual([403, 'auth-denied']);
  });
});

it('lists a day of segments at once at most', { timeout: 30_000 }, async () => {
  const { rig, fromS } = await joinedGroup('freely');
  const ask = (lengthS: number) =>
    rig.node(0).ask(`/ch1/~archive/high/video.m3u8/${fromS}-${lengthS}.json`);
  expect((await ask(86_400)).status).toBe(200);
  expect(await reasonOf(await ask(86_401))).toEqual([400, 'period-too-long']);
});

describe("a media server's own archive", { timeout: 30_000 }, () => {
  const media = '#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n#EXT-X-ENDLIST\n';

  /** `ch1`, with an archive, behind a node that asks for tokens where that is wanted; `ch2` beside it without. */
  async function ownArchive(access: Access) {
    const files = new Map<string, string>([['tv/live/mono.m3u8', media]]);
    const origin = await startOrigin('127.0.0.1', (path) => files.get(path));
    onTestFinished(() => origin.close());
    const authority = createFakeAuthority(() => granted);
    const entry = `${origin.url}/tv/index.m3u8`;
    const archive = { push: true, url: 'flussonic' } as const;
    const rig = await startGroup(1, () => ({
      stream: { origin: entry, archive },
      ...(access === 'with a token' && { authority }),
    }));
    const node = rig.node(0);
    node.configure([
      { name: 'ch1', origin: entry, reserve: true, archive },
      { name: 'ch2', origin: entry, reserve: true },
    ]);
    await rig.run(2_000, 1_000);
    const startMs = Math.floor(node.clock.now().wallMs / minuteMs) * minuteMs - 2 * hourMs;
    node.agent.coverages.replace('ch1', 'ts', [{ startMs, endMs: startMs + hourMs }]);
    const fromS = startMs / 1_000;
    const multivariant = '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\nlive/rec.m3u8\n';
    files.set(`tv/archive-${fromS}-600.m3u8`, multivariant);
    files.set('tv/live/rec.m3u8', media);
    return { node, fromS, origin };
  }

  it.each(accesses)('is played by who opened it %s, and counted as watched', async (access) => {
    const { node, fromS } = await ownArchive(access);
    const opened = await node.ask(`/ch1/index-${fromS}-600.m3u8${tokenFor(access)}`);
    const [uri = ''] = urisOf(await opened.text());
    expect(uri).toMatch(/^~archive\/~origin\/live\/rec\.m3u8\?pass=/);
    const sessions = () => node.agent.sessions.list({ offset: 0, limit: 10 }).sessions;
    const [session] = sessions();
    expect(session).toMatchObject({ stream: 'ch1', backups: [] });
    const child = await node.ask(`/ch1/${uri}`);
    expect(urisOf(await child.text())).toHaveLength(1);
    expect(sessions()).toHaveLength(1);
    node.agent.notes.end({ id: session?.id ?? '', untilS: 1e11 });
    expect(await reasonOf(await node.ask(`/ch1/${uri}`))).toEqual([403, 'session-ended']);
  });

  it('lets nobody without a pass at any playlist below the origin', async () => {
    const { node, origin } = await ownArchive('with a token');
    const before = origin.requests.length;
    for (const path of ['live/mono.m3u8', 'live/rec.m3u8?token=secret'])
      expect(await reasonOf(await node.ask(`/ch1/~archive/~origin/${path}`))).toEqual([
        403,
        'auth-missing',
      ]);
    expect(origin.requests.slice(before).filter(({ path }) => /rec|mono/.test(path))).toEqual([]);
  });

  it('is not asked on behalf of streams that keep none', async () => {
    const { node } = await ownArchive('freely');
    expect((await node.ask('/ch1/~archive/~origin/live/mono.m3u8')).status).toBe(200);
    const refused = await node.ask('/ch2/~archive/~origin/live/mono.m3u8');
    expect(await reasonOf(refused)).toEqual([404, 'nothing-recorded']);
  });
});
