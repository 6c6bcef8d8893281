import type { Result } from './simulation.ts';

/** A result for people. */
export function reportOf(result: Result): string {
  const { viewers, requests, watchedS, lostS, bystandersLostS, moves, refusals } = result;
  const whole = (value: number) => Math.round(value).toLocaleString('en');
  return [
    `viewers              ${whole(viewers)}, ${whole(result.playing)} with a picture at the end`,
    `requests             ${whole(requests)}, ${whole(result.denied)} denied`,
    `viewer-seconds       ${whole(watchedS)} watched, ${whole(lostS)} lost (${((100 * lostS) / (watchedS + lostS)).toFixed(2)} %)`,
    `  of bystanders      ${whole(bystandersLostS)} lost`,
    `moved                ${whole(moves)} times, last at ${result.lastMoveS.toFixed(1)} s`,
    `refused              ${whole(refusals)} requests`,
    ...result.nodes.map(
      ({ id, own, backup, peaks, alerts }) =>
        `${id.padEnd(20)} own ${whole(own)}, of others ${whole(backup)}, peak network ${peaks.networkPercent.toFixed(1)} %, processor ${peaks.cpuPercent.toFixed(1)} %, refusals ${peaks.refusalsPerS.toFixed(0)}/s, alerts: ${alerts.join(', ') || 'none'}`,
    ),
    ...result.forecasts.flatMap(({ atS, forecast: { node, survivors, refused } }) => [
      `forecast at ${atS - 1} s: if ${node} died, ${whole(refused)} refused`,
      ...survivors.map(
        (one) =>
          `  ${one.node.padEnd(18)} takes ${whole(one.takes)}, network ${one.networkPercent} %, processor ${one.cpuPercent} %`,
      ),
    ]),
  ].join('\n');
}
