import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrowserPlayer, launchBrowser, type PlayerBrowser } from '../support/browser.ts';
import { type CloneRig, startCloneRig } from '../support/clone-rig.ts';
import {
  type Outcome,
  type Scenario,
  scenarios,
  watchThrough,
} from '../support/failure-scenarios.ts';
import { isInstalled } from '../support/installed.ts';
import { type LiveSource, startLiveSource } from '../support/live-source.ts';
import { matrixTable } from '../support/matrix-table.ts';

/** `npm run matrix` sets how often each scenario is run; `npm test` runs some, once and shorter. */
const matrixRuns = Number(process.env.MATRIX_RUNS ?? 0);
const isMatrix = matrixRuns > 0;
const allPlayers: readonly BrowserPlayer[] = ['hls', 'shaka', 'vhs'];
/**
 * On a machine that is busy with other things they are better measured one by one: `MATRIX_PLAYERS=shaka`. In `npm test`
 * it is hls.js and VHS: three at once are more than two cores play without a jerk (`docs/clones.md` has all).
 */
const players = allPlayers.filter((player) =>
  (process.env.MATRIX_PLAYERS ?? (isMatrix ? allPlayers.join(',') : 'hls,vhs'))
    .split(',')
    .includes(player),
);
const [beforeMs, afterMs] = isMatrix ? [20_000, 60_000] : [8_000, 28_000];
const rows: readonly Scenario[] = isMatrix
  ? Object.values(scenarios)
  : [scenarios.killed, scenarios.frozen];

/** Two packagers as unlike as operators have them. */
const kinds = [{ segmentS: 2, keepsTimes: true }, { segmentS: 2 }];

/** What a viewer does not notice. */
const starvedSMax = 0.3;
const lostMax = 1;
const repeatedMax = 1;
/** Requests that one node refused or did not answer: Shaka asks twice. */
const inVainMax = 2;
/** A page that stood still by itself for longer tells little: of a machine that busy only what is gross is asked. */
const lagSMax = 1;
const starvedSMaxBusy = 2;

describe.skipIf(!['chromium', 'ffmpeg'].every(isInstalled))(
  'viewers of two packagers of one source',
  () => {
    let source: LiveSource;
    let browser: PlayerBrowser;
    const seen: { scenario: Scenario; outcome: Outcome }[] = [];

    beforeAll(async () => {
      const secondsMax = isMatrix ? 4 * 3600 : 900;
      [source, browser] = await Promise.all([startLiveSource({ secondsMax }), launchBrowser()]);
    });

    afterAll(async () => {
      await browser?.close();
      await source?.stop();
      if (isMatrix) process.stdout.write(`${matrixTable(seen)}\n`);
    });

    for (let run = 0; run < Math.max(1, matrixRuns); run++)
      for (const scenario of rows)
        test(`see nothing of it: ${scenario.name}${run > 0 ? `, again (${run})` : ''}`, async () => {
          let rig: CloneRig | undefined;
          try {
            rig = await startCloneRig(source, kinds);
            const watching = { browser, rig, players, scenario, beforeMs, afterMs };
            const outcomes = await watchThrough(watching);
            seen.push(...outcomes.map((outcome) => ({ scenario, outcome })));
            if (isMatrix) note(scenario, outcomes, rig);
            for (const outcome of outcomes) expectUnnoticed(outcome);
          } finally {
            await rig?.stop();
          }
        });
  },
);

/** A long series must not lose what it has seen when it is cut short. */
function note(scenario: Scenario, outcomes: readonly Outcome[], rig: CloneRig): void {
  for (const outcome of outcomes)
    process.stdout.write(`${JSON.stringify({ scenario: scenario.name, ...outcome })}\n`);
  if (!outcomes.every(({ wasThere }) => wasThere)) throw new Error(`void\n${warnings(rig)}`);
}

/** Why viewers may have been sent elsewhere before anything was done. */
function warnings({ nodes }: CloneRig): string {
  const lines = nodes.flatMap(({ agent }) => agent.log().split('\n'));
  return lines.filter((line) => line.includes('"level":"warn"')).join('\n');
}

function expectUnnoticed(outcome: Outcome): void {
  const evidence = JSON.stringify(outcome);
  expect(outcome.fatal, evidence).toEqual([]);
  expect(outcome.isPlaying, evidence).toBe(true);
  expect(outcome.inVain, evidence).toBeLessThanOrEqual(inVainMax);
  const isBusy = outcome.lagS > lagSMax;
  expect(outcome.starvedS, evidence).toBeLessThanOrEqual(isBusy ? starvedSMaxBusy : starvedSMax);
  if (isBusy) return;
  expect(outcome.lost, evidence).toBeLessThanOrEqual(lostMax);
  expect(outcome.repeated, evidence).toBeLessThanOrEqual(repeatedMax);
}
