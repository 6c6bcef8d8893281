import { loadavg } from 'node:os';
import { median, slice } from './load.mjs';

const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS_EACH ?? 3);

/** Slices in turn, so that a machine that slows down slows all targets; the first target is what is measured. */
export async function measure({ work, targets, connections = 64 }) {
  const slices = targets.map(() => []);
  for (const target of targets) await slice({ ...target, connections, seconds: 1 });
  for (let round = 0; round < rounds; round += 1)
    for (const [at, target] of targets.entries())
      slices[at].push(await slice({ ...target, connections, seconds }));
  console.error(`measured: ${work} (load ${loadavg()[0].toFixed(1)})`);
  return { work, targets: targets.map(({ name }, at) => ({ name, ...summary(slices[at]) })) };
}

function summary(slices) {
  const of = (field) => median(slices.map((one) => one[field]));
  return {
    ...{ perSecond: of('perSecond'), cpuMicros: of('cpuMicros') },
    ...{ p50: of('p50'), p99: of('p99') },
  };
}

/** The two last columns are the first server of a row beside each of the others: fewer CPU and more requests are better. */
export function printRows(results) {
  const head = ['work', 'server', 'requests/s', 'CPU us/request', 'p50 ms', 'p99 ms'];
  console.log(`| ${[...head, 'our CPU', 'our requests'].join(' | ')} |`);
  console.log('| --- | --- | --: | --: | --: | --: | --: | --: |');
  for (const { work, targets } of results)
    for (const [at, target] of targets.entries()) {
      const [ours] = targets;
      const ratio = (a, b) => (at === 0 ? '' : `${(a / b).toFixed(2)} x`);
      const cells = [
        ...[work, target.name, Math.round(target.perSecond), target.cpuMicros.toFixed(1)],
        ...[target.p50.toFixed(2), target.p99.toFixed(2)],
        ratio(ours.cpuMicros, target.cpuMicros),
        ratio(ours.perSecond, target.perSecond),
      ];
      console.log(`| ${cells.join(' | ')} |`);
    }
}
