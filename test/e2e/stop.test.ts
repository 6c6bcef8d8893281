import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startFakeOrigin } from '../support/fake-origin-server.ts';
import { urisOf } from '../support/group-rig.ts';
import { startTestNodes, untilInReserve } from '../support/nodes.ts';

const stopDrainS = 6;
const browser = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0';
/** A player that follows no backups. */
const vlc = 'VLC/3.0.24 LibVLC/3.0.24';

const ask = (url: string, agent: string) => fetch(url, { headers: { 'user-agent': agent } });

const saidBy = (answer: Response | undefined) =>
  answer === undefined
    ? 'no answer'
    : `${answer.status} ${answer.headers.get('x-understudy-reason')}`;

/** Opens, and gives the media playlists of the answer as whole URLs, the node's own first. */
async function watch(node: string, agent: string): Promise<readonly string[]> {
  const entry = `${node}/ch1/index.m3u8`;
  const answer = await ask(entry, agent);
  return urisOf(await answer.text()).map((uri) => new URL(uri, entry).href);
}

it('a node that is told to stop leaves the lists of the others first and sends away who can watch elsewhere; all others it serves until it ends', async () => {
  const origin = await startFakeOrigin({ targetS: 2, isLive: true });
  onTestFinished(() => origin.close());
  const channel = { name: 'ch1', group: 'ch1', source: 'studio', canonical: false };
  const list = [{ ...channel, origin: origin.entry }];
  const settings = { UNDERSTUDY_STOP_DRAIN_S: String(stopDrainS) };
  const { nodes, stop } = await startTestNodes([list, list], [], settings);
  onTestFinished(stop);
  await untilInReserve(nodes, 'ch1');
  const [a, b] = nodes;
  if (a === undefined || b === undefined) throw new Error('there are no two nodes');
  const [own = '', ...others] = await watch(a.url, browser);
  const backup = others.find((uri) => uri.startsWith(b.url)) ?? '';
  const [stays = ''] = await watch(a.url, vlc);
  const namesA = async () => (await watch(b.url, browser)).some((uri) => uri.startsWith(a.url));
  expect(await namesA()).toBe(true);

  const toldAt = performance.now();
  let ended: { readonly code: number | null; readonly afterMs: number } | undefined;
  void a.terminate().then((code) => {
    ended = { code, afterMs: performance.now() - toldAt };
  });
  while (await namesA()) await delay(20);
  expect(saidBy(await ask(stays, vlc))).toBe('200 own-viewer');

  const said = { stays: new Set<string>(), moves: new Set<string>() };
  while (ended === undefined) {
    const [one, other] = await Promise.all(
      [ask(stays, vlc), ask(own, browser)].map((answer) => answer.catch(() => undefined)),
    );
    said.stays.add(saidBy(one));
    said.moves.add(saidBy(other));
    await delay(50);
  }
  said.stays.delete('no answer');
  expect([...said.stays]).toEqual(['200 own-viewer']);
  expect(said.moves).toContain('404 draining');
  expect(saidBy(await ask(backup, browser))).toBe('200 backup-viewer');
  expect(ended.code).toBe(0);
  expect(ended.afterMs).toBeGreaterThanOrEqual(stopDrainS * 1_000 - 10);
}, 120_000);
