import { describe, expect, it } from 'vitest';
import { backupHosts, type GroupNode, type GroupRig, startGroup } from '../support/group-rig.ts';

/** Real origins on a busy machine, ms. */
const patienceMs = 60_000;
const viewers = 40;

let addresses = 0;

/** Of a viewer who was not here before. */
function nextAddress(): string {
  addresses += 1;
  return `203.0.${addresses >> 8}.${addresses & 255}`;
}

/** How many of forty new viewers of a node are given `host` as their first backup. */
async function firstsAt(node: GroupNode, host: string): Promise<number> {
  let count = 0;
  for (let viewer = 0; viewer < viewers; viewer += 1) {
    const address = nextAddress();
    const playlist = await (await node.ask('/ch1/index.m3u8', { address })).text();
    if (backupHosts(playlist)[0] === `${host}.example.net`) count += 1;
  }
  return count;
}

/** Lets time go on until `observer` finds that `node` may be named. */
async function untilNamed(rig: GroupRig, node: GroupNode, observer: GroupNode): Promise<void> {
  const isNamed = () =>
    observer.report()?.members.find(({ node: id }) => id === node.id)?.eligible === true;
  for (let ms = 0; ms < 15_000 && !isNamed(); ms += 500) await rig.run(500);
  expect(isNamed()).toBe(true);
}

/** How many of `count` viewers who open at a node are sent on to `target`; they watch where they are sent. */
async function sentTo(rig: GroupRig, node: GroupNode, count: number, target: string) {
  let sent = 0;
  for (let viewer = 1; viewer <= count; viewer += 1) {
    const address = nextAddress();
    const answer = await node.ask('/ch1/index.m3u8', { address });
    const location = new URL(answer.headers.get('location') ?? '');
    const there = rig.nodes.find(({ base }) => base === location.origin);
    await there?.ask(location.href, { address });
    if (there?.id === target) sent += 1;
    if (viewer % 10 === 0) await rig.run(1_000);
  }
  return sent;
}

describe('a member that came back', { timeout: patienceMs }, () => {
  it('is given a growing share of new viewers, as seen by those who saw it go', async () => {
    const rig = await startGroup(3);
    const [a, c] = [rig.node(0), rig.node(2)];
    expect(await firstsAt(a, 'node-c')).toBe(20);
    c.kill();
    await rig.run(4_000);
    expect(await firstsAt(a, 'node-c')).toBe(0);
    c.start();
    await untilNamed(rig, c, a);
    // 0.1 of a weight beside a whole one, then 0.25, 0.5 and 0.75.
    const parts: number[] = [await firstsAt(a, 'node-c')];
    for (let step = 0; step < 4; step += 1) {
      await rig.run(15_000, 1_000);
      parts.push(await firstsAt(a, 'node-c'));
    }
    expect(parts).toEqual([4, 8, 13, 17, 20]);
  });

  it('has its whole weight for a node that started after it had gone', async () => {
    const rig = await startGroup(3);
    const [a, c] = [rig.node(0), rig.node(2)];
    c.kill();
    a.kill();
    await rig.run(4_000);
    a.start();
    await rig.run(6_000);
    expect(await firstsAt(a, 'node-c')).toBe(0);
    c.start();
    await untilNamed(rig, c, a);
    expect(await firstsAt(a, 'node-c')).toBe(20);
  });

  it('is sent few of those who open at a node without the stream, though it has the fewest viewers', async () => {
    const rig = await startGroup(4);
    const [c, d] = [rig.node(2), rig.node(3)];
    d.configure([]);
    await rig.run(2_000);
    await sentTo(rig, d, 60, 'node-c');
    c.kill();
    await rig.run(4_000);
    expect(await sentTo(rig, d, 10, 'node-c')).toBe(0);
    c.start();
    await rig.run(8_000);
    // The others have some thirty each: without this it would be sent all.
    const count = await sentTo(rig, d, 20, 'node-c');
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(5);
  });
});
