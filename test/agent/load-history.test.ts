import { describe, expect, it } from 'vitest';
import { LoadHistory } from '../../src/agent/load-history.ts';
import type { NodeFacts, Peer } from '../../src/core/group/node.ts';
import { aNode, aPeer, testNow } from '../support/builders.ts';

const limits = { cpuLimitPercent: 90, networkLimitPercent: 90 };
const at = (ms: number) => ({ wallMs: testNow.wallMs + ms, monoMs: testNow.monoMs + ms });

function createHistory() {
  const facts = {
    self: aNode({ id: 'node-a', ownSessions: 3, load: { ...limits, cpuPercent: 40 } }) as NodeFacts,
    peers: [] as Peer[],
  };
  const history = new LoadHistory({ self: () => facts.self, peers: () => facts.peers });
  return { facts, history };
}

describe('the load of the last hour', () => {
  it('is a sample every ten seconds, not sooner', () => {
    const { history } = createHistory();
    for (const ms of [0, 1_000, 9_999, 10_000, 19_999]) history.tick(at(ms));
    expect(history.view().at).toEqual([testNow.wallMs, testNow.wallMs + 10_000]);
  });

  it('has holes where a node was not heard or does not measure', () => {
    const { facts, history } = createHistory();
    const peer = aPeer({ facts: { id: 'node-b', backupSessions: 7 } });
    history.tick(at(0));
    facts.peers = [peer];
    history.tick(at(10_000));
    facts.peers = [{ ...peer, reachability: 'unreachable' }];
    history.tick(at(20_000));
    const [a, b] = history.view().nodes;
    expect(a).toMatchObject({ node: 'node-a', cpuPercent: [40, 40, 40], ownSessions: [3, 3, 3] });
    expect(a?.networkPercent).toEqual([null, null, null]);
    expect(b).toMatchObject({ node: 'node-b', backupSessions: [null, 7, null] });
  });

  it('forgets what is more than 360 samples old', () => {
    const { history } = createHistory();
    for (let sample = 0; sample <= 360; sample += 1) history.tick(at(sample * 10_000));
    const { at: times, nodes } = history.view();
    expect([times.length, nodes[0]?.cpuPercent.length]).toEqual([360, 360]);
    expect(times[0]).toBe(testNow.wallMs + 10_000);
  });
});
