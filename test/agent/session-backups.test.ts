import { expect, it } from 'vitest';
import { backupHosts, type GroupNode, passIn, startGroup } from '../support/group-rig.ts';

async function open(node: GroupNode, pass?: string) {
  const answer = await node.ask(`/ch1/index.m3u8${pass === undefined ? '' : `?pass=${pass}`}`);
  const playlist = await answer.text();
  return { hosts: backupHosts(playlist), pass: passIn(playlist) };
}

it('a viewer who opens again with its pass keeps its backups, however many share its address', async () => {
  const rig = await startGroup(5);
  const viewers = [];
  for (let index = 0; index < 24; index += 1) viewers.push(await open(rig.node(0)));
  expect(new Set(viewers.map(({ hosts }) => hosts.join())).size).toBe(12);
  for (const { hosts, pass } of viewers)
    expect((await open(rig.node(0), pass)).hosts).toEqual(hosts);
});

it('a viewer who opens again with its pass after the agent was restarted keeps its backups', async () => {
  const rig = await startGroup(5);
  const viewers = [];
  for (let index = 0; index < 12; index += 1) viewers.push(await open(rig.node(0)));
  rig.node(0).start();
  await rig.run(8_000);
  for (const { hosts, pass } of viewers)
    expect((await open(rig.node(0), pass)).hosts).toEqual(hosts);
});

it('a viewer who was sent on keeps the backups that the second node named', async () => {
  const rig = await startGroup(4);
  rig.node(0).configure([]);
  await rig.run(2_000);
  const sent = await rig.node(0).ask('/ch1/index.m3u8');
  const location = new URL(sent.headers.get('location') ?? '');
  const target = rig.nodes.find(({ base }) => base === location.origin);
  const first = target && (await open(target, location.searchParams.get('pass') ?? ''));
  for (let index = 0; index < 5; index += 1) await (target && open(target));
  const again = target && (await open(target, location.searchParams.get('pass') ?? ''));
  const byNewPass = target && (await open(target, first?.pass));
  expect(first?.hosts).toHaveLength(2);
  expect([again?.hosts, byNewPass?.hosts]).toEqual([first?.hosts, first?.hosts]);
});
