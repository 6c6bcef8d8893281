import { describe, expect, it } from 'vitest';
import { refusalCpuS } from './sim-node.ts';
import { targetS } from './sim-origin.ts';
import { type Scenario, simulate } from './simulation.ts';

/** All families that move on when a node is gone without an answer. */
const movers = { 'hls.js': 4, Shaka: 2, VHS: 1 };
const everybody = { ...movers, Media3: 2, legacy: 1 };
const killAtS = 30;

function aScenario(more: Partial<Scenario>): Scenario {
  return {
    ...{ seed: 1, seconds: 55, openOverS: 10, mix: movers },
    nodes: [10_000, 2_000, 2_000].map((viewers) => ({ viewers, capacityMbps: 60_000 })),
    faults: [{ atS: killAtS, node: 0, kind: 'kill' }],
    ...more,
  };
}

/** A tenth of the viewers, for what does not depend on their number. */
const small = [1_000, 200, 200].map((viewers) => ({ viewers, capacityMbps: 6_000 }));

describe('ten thousand viewers of a dead node, who arrive within a target duration', () => {
  it('never push a survivor over its limit, cost its own viewers nothing, and are settled in two', async () => {
    // Each survivor has room for 3,000 more below 90 % of its network: 4,000 are too many.
    const capacityMbps = (5_000 * 4) / 0.9;
    const result = await simulate(
      aScenario({
        nodes: [
          { viewers: 10_000, capacityMbps: 60_000 },
          { viewers: 2_000, capacityMbps },
          { viewers: 2_000, capacityMbps },
        ],
      }),
    );
    const [, ...survivors] = result.nodes;
    for (const { peaks, backup, refusals } of survivors) {
      expect(peaks.networkPercent).toBeLessThanOrEqual(90.5);
      expect(backup).toBeGreaterThan(2_900);
      // Of one processor, over the minute in which they come.
      expect((100 * refusals * refusalCpuS) / 60).toBeLessThan(5);
    }
    // Then they come no more: players leave alone for a while who refused them.
    for (const samples of result.samples) expect(samples.at(-1)?.refusalsPerS).toBeLessThan(20);
    expect(result.bystandersLostS).toBe(0);
    expect(result.denied).toBe(0);
    expect(result.lastMoveS - killAtS).toBeLessThanOrEqual(2 * targetS);
    // It was foreseen, to within 5 %.
    const { refused = 0, survivors: foreseen = [] } = result.forecasts[0]?.forecast ?? {};
    expect(Math.abs(refused / (result.viewers - result.playing) - 1)).toBeLessThanOrEqual(0.05);
    for (const [at, { takes }] of foreseen.entries())
      expect(Math.abs(takes / (survivors[at]?.backup ?? 0) - 1)).toBeLessThanOrEqual(0.05);
    expect(foreseen).toHaveLength(2);
  }, 300_000);

  it('never push a survivor over the limit of its processor either', async () => {
    // Each survivor has room for 460 more below 90 % of its processor: 1,000 are too many.
    const aNode = (viewers: number, reloadCpuS?: number) => ({
      viewers,
      capacityMbps: 12_000,
      reloadCpuS,
    });
    const nodes = [aNode(2_000), aNode(400, 0.005), aNode(400, 0.005)];
    const result = await simulate(aScenario({ nodes }));
    const foreseen = result.forecasts[0]?.forecast.survivors ?? [];
    for (const [at, { cpuPercent = 0, stoppedBy }] of foreseen.entries()) {
      const samples = result.samples[at + 1] ?? [];
      for (const sample of samples)
        expect(sample.cpuPercent - 100 * sample.refusalsPerS * refusalCpuS).toBeLessThan(90.5);
      expect(result.nodes[at + 1]?.backup).toBeGreaterThan(390);
      expect(stoppedBy).toBe('cpu');
      expect(Math.abs(cpuPercent / (samples.at(-1)?.cpuPercent ?? 0) - 1)).toBeLessThanOrEqual(
        0.06,
      );
    }
    expect(foreseen).toHaveLength(2);
    expect(result.bystandersLostS).toBe(0);
    expect(result.denied).toBe(0);
    expect(result.lastMoveS - killAtS).toBeLessThanOrEqual(2 * targetS);
  }, 300_000);

  it('are carried as was foreseen, to within 5 %', async () => {
    const result = await simulate(aScenario({}));
    const foreseen = result.forecasts[0]?.forecast.survivors ?? [];
    expect(foreseen).toHaveLength(2);
    for (const [at, { node, networkPercent = 0, cpuPercent = 0, takes }] of foreseen.entries()) {
      const then = result.samples[at + 1]?.at(-1);
      const { backup } = result.nodes.find(({ id }) => id === node) ?? { backup: 0 };
      expect(Math.abs(takes / backup - 1)).toBeLessThanOrEqual(0.05);
      expect(Math.abs(networkPercent / (then?.networkPercent ?? 0) - 1)).toBeLessThanOrEqual(0.05);
      expect(Math.abs(cpuPercent / (then?.cpuPercent ?? 0) - 1)).toBeLessThanOrEqual(0.05);
    }
    expect(result.refusals).toBe(0);
    expect(result.lostS).toBe(0);
    expect(result.playing).toBe(result.viewers);
  }, 300_000);
});

describe('a stream that stops on one node', () => {
  it.each(['stop', 'freeze'] as const)(
    'by "%s" costs nobody a picture',
    async (kind) => {
      const { legacy: _, ...mix } = everybody;
      const faults = [{ atS: killAtS, node: 0, kind }];
      const result = await simulate(aScenario({ nodes: small, mix, faults }));
      expect(result.lostS).toBe(0);
      expect(result.playing).toBe(result.viewers);
      expect(result.nodes.map(({ backup }) => backup > 400)).toEqual([false, true, true]);
    },
    60_000,
  );

  it('lets players without backups open it again elsewhere', async () => {
    const faults = [{ atS: killAtS, node: 0, kind: 'stop' as const }];
    const result = await simulate(aScenario({ nodes: small, mix: { legacy: 1 }, faults }));
    expect(result.playing).toBe(result.viewers);
    expect(result.bystandersLostS).toBe(0);
  }, 180_000);
});

describe('the backup-session limit', () => {
  it('holds to the viewer, and who is refused at the first backup is taken by the second', async () => {
    const nodes = small.map((node, at) => (at === 1 ? { ...node, backupSessionsMax: 100 } : node));
    const result = await simulate(aScenario({ nodes }));
    expect(result.nodes.map(({ backup }) => backup)).toEqual([0, 100, 900]);
    expect(result.lostS).toBe(0);
  }, 180_000);
});

describe('a simulation', () => {
  it('of the same seed gives the same result, of another one another', async () => {
    const nodes = [100, 20, 20].map((viewers) => ({ viewers, capacityMbps: 600 }));
    const run = (seed: number) => simulate(aScenario({ seed, nodes, mix: everybody }));
    const [one, two, other] = [await run(1), await run(1), await run(2)];
    expect(two).toEqual(one);
    expect(other).not.toEqual(one);
  }, 180_000);
});
