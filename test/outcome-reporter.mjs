/**
 * Writes what `npm test` says at its end: how many tests passed, failed or were skipped, which failed, and which passed only when run a
 * second time. A file that cannot be loaded, and an error outside of any test, is one failure.
 */
import { writeFileSync } from 'node:fs';

export default class OutcomeReporter {
  onTestRunEnd(modules, errors) {
    const outcome = {
      passed: 0,
      skipped: 0,
      failed: errors.map(({ message }) => message),
      passedLater: [],
    };
    for (const module of modules) {
      for (const { message } of module.errors())
        outcome.failed.push(`${module.relativeModuleId}: ${message}`);
      for (const test of module.children.allTests()) count(test, outcome);
    }
    writeFileSync(process.env.TEST_OUTCOME, JSON.stringify(outcome));
  }
}

function count(test, outcome) {
  const { state } = test.result();
  const name = `${test.module.relativeModuleId} > ${test.fullName}`;
  if (state === 'passed') outcome.passed += 1;
  else if (state === 'failed') outcome.failed.push(name);
  else outcome.skipped += 1;
  if (test.diagnostic()?.flaky) outcome.passedLater.push(name);
}
