import { describe, expect, it } from 'vitest';
import { passIn, startGroup, urisOf } from '../support/group-rig.ts';

/** Two nodes that call the channel differently; a viewer of the first one, with its media playlist. */
async function aDeadNodeWithAViewer(
  { source }: { source?: string | undefined } = { source: 'studio' },
) {
  const rig = await startGroup(2, (at) => ({
    stream: { name: at === 0 ? 'ch1' : 'kanal', source },
  }));
  const [a, b] = [rig.node(0), rig.node(1)];
  const entry = await (await a.ask('/ch1/index.m3u8')).text();
  const playlist = new URL(urisOf(entry)[0] ?? '', `${a.base}/ch1/`).href;
  a.kill();
  await rig.run(4_000);
  return { rig, b, entry, playlist };
}

describe('a request that comes to the host name of a dead node at the node its address has moved to', () => {
  it('is answered with the playlist that the dead node would have given', async () => {
    const { b, playlist } = await aDeadNodeWithAViewer();
    const answer = await b.ask(playlist);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-understudy-node')).toBe('node-b');
    const [segment] = urisOf(await answer.text());
    expect((await b.ask(new URL(segment ?? '', playlist).href)).status).toBe(200);
  });

  it('opens the stream for a viewer who comes anew, under the name of the dead node', async () => {
    const { b } = await aDeadNodeWithAViewer();
    const answer = await b.ask('http://node-a.example.net/ch1/index.m3u8');
    expect(answer.status).toBe(200);
    const entry = await answer.text();
    const playlist = new URL(urisOf(entry)[0] ?? '', 'http://node-a.example.net/ch1/').href;
    expect((await b.ask(playlist)).status).toBe(200);
  });

  it('takes passes for the dead node, but none that are forged', async () => {
    const { b, entry, playlist } = await aDeadNodeWithAViewer();
    const forged = playlist.replace(passIn(entry), `${passIn(entry).slice(0, -4)}AAAA`);
    expect((await b.ask(forged)).status).toBe(403);
  });

  it('is not found where nothing says that the sources are the same, so that the player moves on', async () => {
    const { b, playlist } = await aDeadNodeWithAViewer({});
    const answer = await b.ask(playlist.replace(/\?.*$/, ''));
    expect(answer.status).toBe(404);
    expect(answer.headers.get('x-understudy-reason')).toBe('source-undeclared');
  });

  it('is not mistaken for one where both nodes are reached at one name', async () => {
    const rig = await startGroup(2, (at) => ({
      publicUrl: 'http://cdn.example.net',
      stream: { name: at === 0 ? 'ch1' : 'kanal' },
    }));
    const answer = await rig.node(1).ask('http://cdn.example.net/kanal/index.m3u8');
    expect(answer.status).toBe(200);
  });
});
