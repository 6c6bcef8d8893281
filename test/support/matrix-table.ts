import type { Outcome, Scenario } from './failure-scenarios.ts';

const playerNames = { hls: 'hls.js', shaka: 'Shaka', vhs: 'VHS', media3: 'Media3 model' } as const;

/** The measured runs as a Markdown table: one row a scenario and player, one figure a run. */
export function matrixTable(
  runs: readonly { readonly scenario: Scenario; readonly outcome: Outcome }[],
): string {
  const groups = new Map<string, Outcome[]>();
  for (const { scenario, outcome } of runs) {
    const key = `${scenario.name} | ${playerNames[outcome.player]}`;
    groups.set(key, [...(groups.get(key) ?? []), outcome]);
  }
  const rows = [...groups].map(([key, group]) => {
    const figures = (of: (outcome: Outcome) => number | string) => group.map(of).join(', ');
    const cells = [
      figures(({ starvedS }) => starvedS.toFixed(1)),
      figures(({ lost }) => lost),
      figures(({ repeated }) => repeated),
      figures(({ fatal, isPlaying }) => (fatal.length > 0 || !isPlaying ? 'yes' : 'no')),
      figures(({ inVain }) => inVain),
      figures(({ lagS }) => lagS.toFixed(1)),
    ];
    return `| ${key} | ${cells.join(' | ')} |`;
  });
  return [
    '| failure | player | starved, s | lost | repeated | ended | in vain | page lag, s |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}
