import { reportOf } from './report.ts';
import { type Scenario, simulate } from './simulation.ts';

/** Simulates and tells. */
export async function run(scenario: Scenario): Promise<string> {
  return reportOf(await simulate(scenario));
}
