import { describe, expect, it, vi } from 'vitest';
import type { Repeat, Word } from '../../../src/agent/worker-ports.ts';
import { Repeats } from '../../../src/agent/workers/repeats.ts';
import { type GroupNode, passIn, startGroup, urisOf } from '../../support/group-rig.ts';

/** What the main process says of an answer to the worker that passed the request on. */
function repeatOf(answer: Response): Repeat | undefined {
  const said = answer.headers.get('x-understudy-repeat');
  return said === null ? undefined : JSON.parse(decodeURIComponent(said));
}

async function startNode(count = 1) {
  const rig = await startGroup(count, () => ({ hasWorkers: true, stream: { canonical: false } }));
  const node = rig.node(0);
  const words: Word[] = [];
  const { repeats } = node.agent;
  if (repeats === undefined) throw new Error('there are no workers');
  repeats.onWord((word) => words.push(word));
  const tick = () => repeats.tick(node.clock.now());
  /** What is over since the last look. */
  const over = () => {
    tick();
    const said = words.splice(0).map((word) => word.over);
    return {
      all: said.some(({ all }) => all),
      what: said.flatMap(({ what }) => what),
      who: said.flatMap(({ who }) => who),
    };
  };
  return { rig, node, repeats, words, over };
}

/** Opens the stream; the media playlist of its first rung. */
async function open(node: GroupNode): Promise<string> {
  const answer = await node.ask('/ch1/index.m3u8');
  return `/ch1/${urisOf(await answer.text())[0]}`;
}

async function segmentIn(node: GroupNode, playlist: string): Promise<string> {
  const answer = await node.ask(playlist);
  return new URL(urisOf(await answer.text()).at(-1) ?? '', `http://x${playlist}`).pathname;
}

/** What a segment is called, once it is whole in memory. */
function segmentMarked(node: GroupNode, path: string): Promise<Repeat> {
  return vi.waitFor(async () => {
    const repeat = repeatOf(await node.ask(path));
    if (repeat === undefined) throw new Error('it is not in memory');
    return repeat;
  });
}

describe('a media playlist that a viewer was served', () => {
  it('may be repeated to its session, under one name for all viewers, until it changes', async () => {
    const { rig, node, over } = await startNode();
    const [one, other] = [await open(node), await open(node)];
    const [first, second] = [repeatOf(await node.ask(one)), repeatOf(await node.ask(other))];
    expect(first?.what).toBeDefined();
    expect(second?.what).toBe(first?.what);
    expect(second?.who).not.toBe(first?.who);
    expect(over().what).toEqual([]);
    await rig.run(5_000);
    expect(over().what).toContain(first?.what);
    expect(repeatOf(await node.ask(one))?.what).toBe(first?.what);
  });

  it('may not where the viewer brought no pass, waits for a part, or the stream is off air', async () => {
    const { rig, node, over } = await startNode();
    const playlist = await open(node);
    const [path] = playlist.split('?');
    const what = async (asked: string) => repeatOf(await node.ask(asked))?.what;
    expect(await what(path ?? '')).toBeUndefined();
    expect(await what(playlist)).toBeDefined();
    node.origin.knobs.frozen = true;
    await rig.run(20_000);
    expect(over().what).toHaveLength(1);
    expect((await node.ask(playlist)).headers.get('x-understudy-reason')).toBe('last-resort');
    expect(await what(playlist)).toBeUndefined();
  });

  it('is over for a session that was ended, here or elsewhere', async () => {
    const { node, over } = await startNode();
    const playlist = await open(node);
    const { who = '' } = repeatOf(await node.ask(playlist)) ?? {};
    const untilS = node.clock.now().wallMs / 1_000 + 600;
    node.agent.notes.learn('http://peer', {
      ...{ version: 1, full: false, more: false, taken: [], freed: [] },
      ended: [{ id: who, untilS }],
    });
    expect(over().who).toEqual([who]);
    expect((await node.ask(playlist)).status).toBe(403);
  });

  it('is over with everything else when a peer takes the host name', () => {
    let peerHosts = new Map();
    const snapshot = {};
    const deps = {
      live: { media: () => snapshot, facts: () => ({ hls: { air: { onAir: true } } }) },
      ...{ drain: { isToLeave: () => false, move: () => undefined } },
      staging: { isOnFor: () => false },
      peerHosts: () => peerHosts,
    };
    const repeats = new Repeats(deps as never);
    const words: Word[] = [];
    repeats.onWord((word) => words.push(word));
    const now = { wallMs: 0, monoMs: 0 };
    const ask = (host: string) =>
      repeats.playlist({ host, now } as never, { nodes: ['node-a'] } as never, {
        id: 'a',
        name: 'ch1',
        rest: 'v0.m3u8',
        snapshot,
      });
    expect(ask('vip.example.net').what).toBe('ch1/v0.m3u8');
    repeats.tick(now);
    expect(words.at(-1)?.over.all).toBe(false);
    peerHosts = new Map([['vip.example.net', {}]]);
    repeats.tick(now);
    expect(words.at(-1)?.over.all).toBe(true);
    expect([ask('vip.example.net').what, ask('own.example.net').what]).toEqual([
      undefined,
      'ch1/v0.m3u8',
    ]);
  });

  it('is over for a session that gave its place away, told once', async () => {
    const { node, over } = await startNode();
    node.agent.notes.letGo('a fingerprint');
    node.agent.notes.letGo('a fingerprint');
    expect(over().who).toEqual(['a fingerprint']);
  });

  it('is told with how far a move of viewers off this node has got', async () => {
    const { rig, node, repeats, words } = await startNode();
    const move = () => {
      repeats.tick(node.clock.now());
      return words.at(-1)?.move;
    };
    expect(move()).toBeUndefined();
    node.agent.drain.begin(60, node.clock.now());
    expect(move()).toEqual({ ageMs: 0, overMs: 60_000 });
    await rig.run(2_000);
    expect(move()).toEqual({ ageMs: 2_000, overMs: 60_000 });
    node.agent.drain.end();
    expect(move()).toBeUndefined();
  });

  it('is for once at the host name of another node', async () => {
    const { node } = await startNode(2);
    const playlist = await open(node);
    const here = repeatOf(await node.ask(playlist));
    const there = repeatOf(await node.ask(`http://node-b.example.net${playlist}`));
    expect([here?.what === undefined, there?.what]).toEqual([false, undefined]);
  });

  it('carries a number that is one higher after each thing that is over, and is told in order', async () => {
    const { node, repeats, words } = await startNode();
    const playlist = await open(node);
    const before = repeatOf(await node.ask(playlist))?.seq ?? 0;
    repeats.endSession('somebody');
    const after = repeatOf(await node.ask(playlist))?.seq;
    expect(after).toBe(before + 1);
    expect(words.at(-1)).toMatchObject({ seq: after, over: { who: ['somebody'] } });
  });
});

describe('a segment', () => {
  it('may be repeated to anybody once it is whole in memory, until it is forgotten', async () => {
    const { rig, node, over } = await startNode();
    const path = await segmentIn(node, await open(node));
    const { what, who } = await segmentMarked(node, path);
    expect([what, who]).toEqual([path.slice(1), undefined]);
    expect(over().what).not.toContain(what);
    await rig.run(150_000, 1_000);
    expect(over().what).toContain(what);
  });

  it('is over when its name comes again for another one, before the playlist that names it is marked', async () => {
    const { rig, node, words } = await startNode();
    const playlist = await open(node);
    const path = await segmentIn(node, playlist);
    const { what } = await segmentMarked(node, path);
    words.splice(0);
    node.origin.knobs.sequenceShift = -5;
    await node.origin.stop();
    await node.origin.start(3);
    await rig.run(4_000);
    const marked = repeatOf(await node.ask(playlist));
    expect(words.flatMap(({ over }) => over.what)).toContain(what);
    expect(words.at(-1)?.seq).toBe(marked?.seq);
  });
});

describe('a report of a worker', () => {
  it('keeps a session alive and counts what it was sent', async () => {
    const { rig, node, repeats, over } = await startNode();
    const { who = '' } = repeatOf(await node.ask(await open(node))) ?? {};
    const before = node.agent.sessions.get(who)?.bytes ?? 0;
    for (let seconds = 0; seconds < 250; seconds += 50) {
      await rig.run(50_000, 1_000);
      const report = { seen: [[who, 'ch1']] as const, sent: [[who, 25_600]] as const };
      repeats.take({ ...report, answered: [] }, node.clock.now());
    }
    expect(node.agent.sessions.get(who)?.bytes).toBe(before + 5 * 25_600);
    expect(over().who).toEqual([]);
  });

  it.each([
    ['that is not known', 'nobody', 'ch1'],
    ['that watches another stream now', undefined, 'ch2'],
  ])('of a session %s calls that over', async (_, id, stream) => {
    const { node, repeats, over } = await startNode();
    const { who = '' } = repeatOf(await node.ask(await open(node))) ?? {};
    const name = id ?? who;
    repeats.take({ seen: [[name, stream]], sent: [], answered: [] }, node.clock.now());
    expect(over().who).toEqual([name]);
  });
});

it('without workers nothing is said of repeating', async () => {
  const rig = await startGroup(1);
  const playlist = await open(rig.node(0));
  expect(passIn(playlist)).not.toBe('');
  expect(repeatOf(await rig.node(0).ask(playlist))).toBeUndefined();
  expect(rig.node(0).agent.repeats).toBeUndefined();
});
