/**
 * All tests on any machine: `npm test`. Sets up what is missing, checks the sources, builds, and runs
 * every suite. Arguments go to vitest: `npm test -- test/core`.
 *
 * Ends with the names of what failed and of what passed only when run a second time, and one plain line, `N passed, N failed,
 * N skipped`; the checks count as tests.
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

/** On a machine that others use as well what happens once proves little: a test that fails is run again, and named in the end. */
const sparing = ['--retry=1'];

const checks = [
  ['lint', 'npm', ['run', '--silent', 'lint']],
  ['typecheck', 'npm', ['run', '--silent', 'typecheck']],
  ['unused code', 'npm', ['run', '--silent', 'unused']],
  ['build', 'npm', ['run', '--silent', 'build']],
];

/** Suites of many small tests run side by side; those with real players and processes one after another. */
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
    ['--dir=test/e2e', '--no-file-parallelism', '--testTimeout=180000', '--hookTimeout=120000'],
  ],
  ['what agents said', ['--dir=test/whole-run']],
];

/** Where tests leave what the agents they started have said; looked at in the end. */
process.env.AGENT_OUTPUT = mkdtempSync(join(tmpdir(), 'understudy-output-'));

const total = { passed: 0, failed: [], skipped: 0, passedLater: [] };

checkNode();
installPackages();
const missing = bringPrograms();
for (const [name, command, args] of checks) {
  const isGood = timed(
    name,
    () => spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0,
  );
  if (isGood) total.passed += 1;
  else total.failed.push(name);
}
for (const [name, args] of phases) {
  const seen = await timedPhase(name, [...args, ...process.argv.slice(2)]);
  for (const outcome of ['passed', 'skipped']) total[outcome] += seen[outcome];
  for (const outcome of ['failed', 'passedLater']) total[outcome].push(...seen[outcome]);
}
rmSync(process.env.AGENT_OUTPUT, { recursive: true, force: true });
for (const { program, why, suites } of missing) {
  console.log(`skipped without ${program} (${why}): ${suites}`);
}
for (const name of total.passedLater) console.log(`passed when run again: ${name}`);
for (const name of total.failed) console.log(`failed: ${name}`);
console.log(`${total.passed} passed, ${total.failed.length} failed, ${total.skipped} skipped`);
process.exit(total.failed.length === 0 ? 0 : 1);

function timed(name, act) {
  const startedAt = performance.now();
  const result = act();
  report(name, startedAt);
  return result;
}

async function timedPhase(name, args) {
  const startedAt = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'understudy-test-'));
  process.env.TEST_OUTCOME = join(folder, 'outcome.json');
  const reporters = ['default', join(root, 'test/outcome-reporter.mjs')];
  const code = await runVitest([
    ...args,
    ...sparing,
    ...reporters.map((each) => `--reporter=${each}`),
  ]);
  const outcome = readOutcome(process.env.TEST_OUTCOME, name);
  rmSync(folder, { recursive: true, force: true });
  if (code !== 0 && outcome.failed.length === 0) outcome.failed.push(name);
  report(name, startedAt);
  return outcome;
}

/** Resolves with its exit code when vitest has ended, by itself or because it hung. */
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
    child.on('exit', (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
}

/** Without a readable outcome the phase itself has failed. */
function readOutcome(path, phase) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { passed: 0, failed: [phase], skipped: 0, passedLater: [] };
  }
}

function report(name, startedAt) {
  console.log(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}
