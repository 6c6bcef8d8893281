import { describe, expect, it } from 'vitest';
import { type GroupNode, type GroupRig, startGroup } from '../support/group-rig.ts';
import { createMedia3Player } from '../support/media3-player.ts';

/** More often than anything of Media3's falls due, ms. */
const stepMs = 500;
const media3Agent = 'Tv/1.0 (Linux;Android 14) AndroidXMedia3/1.11.0';

/** A player by Media3's rules that opened `ch1` at node-a and has watched for 20 s. */
async function watchAtA(rig: GroupRig) {
  const entry = `${rig.node(0).base}/ch1/index.m3u8`;
  const ask = (node: GroupNode, url: string) => node.ask(url, { agent: media3Agent });
  /** Nodes that refuse connections; and who answers for them. */
  const dead = new Map<GroupNode, GroupNode | undefined>();
  const player = createMedia3Player({
    multivariant: await (await ask(rig.node(0), entry)).text(),
    entry,
    monoMs: () => rig.clock.now().monoMs,
    async request(url) {
      const owner = rig.nodes.find(({ base }) => base === new URL(url).origin);
      const node = owner !== undefined && dead.has(owner) ? dead.get(owner) : owner;
      if (node === undefined) return { status: 0, text: '' };
      const answer = await ask(node, url);
      return { status: answer.status, text: await answer.text() };
    },
  });
  const watch = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await rig.run(stepMs, stepMs);
      const fatal = await player.step();
      if (fatal !== undefined) return fatal;
    }
    return 'playing';
  };
  expect(await watch(20_000)).toBe('playing');
  return { player, watch, dead };
}

type Watching = Awaited<ReturnType<typeof watchAtA>>;

/** Nothing was missing: each segment once, in order, and always something to show. */
function expectUnnoticed({ player }: Watching): void {
  const loaded = player.loaded();
  expect(loaded.map((number) => number - (loaded[0] ?? 0))).toEqual([...loaded.keys()]);
  expect(player.starvedMs()).toBeLessThanOrEqual(300);
}

const failures: readonly (readonly [string, (rig: GroupRig) => void])[] = [
  ['the stream stops', (rig) => Object.assign(rig.node(0).origin.knobs, { status: 404 })],
  ['the playlist freezes', (rig) => Object.assign(rig.node(0).origin.knobs, { frozen: true })],
  ['the origin answers 502', (rig) => Object.assign(rig.node(0).origin.knobs, { status: 502 })],
  ['the origin is refused', (rig) => void rig.node(0).origin.stop()],
  [
    'the numbers fall back',
    (rig) => Object.assign(rig.node(0).origin.knobs, { sequenceShift: -8 }),
  ],
];

describe('a player by the rules of Media3', () => {
  for (const [name, act] of failures)
    it(`goes on at another node and misses nothing when ${name}`, async () => {
      const rig = await startGroup(3, () => ({ origin: { newest: 60 } }));
      const watching = await watchAtA(rig);
      act(rig);
      expect(await watching.watch(60_000)).toBe('playing');
      expect(watching.player.location()).not.toContain('node-a');
      expectUnnoticed(watching);
    });

  it('goes on at the third node when the second loses the stream too', async () => {
    const rig = await startGroup(3, () => ({ origin: { newest: 60 } }));
    const watching = await watchAtA(rig);
    rig.node(0).origin.knobs.status = 404;
    expect(await watching.watch(15_000)).toBe('playing');
    const second = new URL(watching.player.location()).hostname;
    const at = rig.nodes.findIndex(({ base }) => base.endsWith(second));
    rig.node(at).origin.knobs.status = 404;
    expect(await watching.watch(60_000)).toBe('playing');
    expect(watching.player.location()).not.toMatch(new RegExp(`node-a|${second}`));
    expectUnnoticed(watching);
  });

  it('goes back to the first of two by its second listing, when the second loses the stream', async () => {
    const rig = await startGroup(2, () => ({ origin: { newest: 60 } }));
    const watching = await watchAtA(rig);
    rig.node(0).origin.knobs.status = 404;
    expect(await watching.watch(8_000)).toBe('playing');
    rig.node(0).origin.knobs.status = undefined;
    expect(await watching.watch(12_000)).toBe('playing');
    rig.node(1).origin.knobs.status = 404;
    expect(await watching.watch(60_000)).toBe('playing');
    expectUnnoticed(watching);
  });

  it('gives up when the node refuses connections and nobody answers for it', async () => {
    const rig = await startGroup(3, () => ({ origin: { newest: 60 } }));
    const { watch, dead } = await watchAtA(rig);
    rig.node(0).kill();
    dead.set(rig.node(0), undefined);
    expect(await watch(60_000)).toBe('playlist load error 0');
  });
});
