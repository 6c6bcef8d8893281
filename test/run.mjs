/**
 * All tests on any machine: `npm test`. Sets up what is missing, checks the sources, builds, and runs
 * every suite. Arguments go to vitest: `npm test -- test/core`.
 *
 * Ends with one plain line, `N passed, N failed, N skipped`; the checks count as tests.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkNode, installPackages } from '../src/setup.mjs';
import { bringPrograms } from './setup-debian.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** A whole phase that takes longer hangs, and is ended. */
const phaseMsMax = 25 * 60_000;

const checks = [
  ['lint', 'npm', ['run', '--silent', 'lint']],
  ['typecheck', 'npm', ['run', '--silent', 'typecheck']],
  ['unused code', 'npm', ['run', '--silent', 'unused']],
  ['build', 'npm', ['run', '--silent', 'build']],
];

/**
 * Suites of many small tests run side by side; those with real players and processes one after another, and a second time if they
 * fail: what a viewer sees of a machine that others use as well proves little once. The report says which were (`retry x1`).
 */
const phases = [
  [
    'unit',
    [
      '--exclude=test/e2e/**',
      '--exclude=test/whole-run/**',
      '--testTimeout=20000',
      '--hookTimeout=20000',
    ],
  ],
  [
    'end to end',
    [
      '--dir=test/e2e',
      '--no-file-parallelism',
      '--retry=1',
      '--testTimeout=180000',
      '--hookTimeout=120000',
    ],
  ],
  ['what agents said', ['--dir=test/whole-run']],
];

/** Where tests leave what the agents they started have said; looked at in the end. */
process.env.AGENT_OUTPUT = mkdtempSync(join(tmpdir(), 'understudy-output-'));

const total = { passed: 0, failed: 0, skipped: 0 };

checkNode();
installPackages();
const missing = bringPrograms();
for (const [name, command, args] of checks) {
  const isGood = timed(
    name,
    () => spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0,
  );
  total[isGood ? 'passed' : 'failed'] += 1;
}
for (const [name, args] of phases) {
  const counts = await timedPhase(name, [...args, ...process.argv.slice(2)]);
  for (const outcome of Object.keys(total)) total[outcome] += counts[outcome];
}
rmSync(process.env.AGENT_OUTPUT, { recursive: true, force: true });
for (const { program, why, suites } of missing) {
  console.log(`skipped without ${program} (${why}): ${suites}`);
}
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed === 0 ? 0 : 1);

function timed(name, act) {
  const startedAt = performance.now();
  const result = act();
  report(name, startedAt);
  return result;
}

async function timedPhase(name, args) {
  const startedAt = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'understudy-test-'));
  const reportPath = join(folder, 'report.json');
  await runVitest([
    ...args,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reportPath}`,
  ]);
  const counts = readCounts(reportPath);
  rmSync(folder, { recursive: true, force: true });
  report(name, startedAt);
  return counts;
}

/** Resolves when vitest has ended, by itself or because it hung. */
function runVitest(args) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', '--passWithNoTests', ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    // Its own group, so that a hanging worker can be ended with it.
    detached: true,
  });
  const end = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  };
  const timer = setTimeout(() => {
    console.error(`ended after ${phaseMsMax / 60_000} min: a test hangs`);
    end('SIGKILL');
  }, phaseMsMax);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      end(signal);
      process.exit(1);
    });
  }
  return new Promise((resolve) => {
    child.on('exit', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Without a readable report the phase itself has failed. A file that cannot be loaded is one failure. */
function readCounts(path) {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'));
    const unloaded = report.testResults.filter(
      ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
    );
    return {
      passed: report.numPassedTests,
      failed: Math.max(report.numFailedTests + unloaded.length, report.success ? 0 : 1),
      skipped: report.numPendingTests + report.numTodoTests,
    };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

function report(name, startedAt) {
  console.log(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}
