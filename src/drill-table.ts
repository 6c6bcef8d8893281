import type { DrillView } from './agent/drill/drill-view.ts';
import type { FamilyResult } from './core/drill/report.ts';

const outcomes = {
  moves: 'moves',
  reopens: 'opens again',
  ends: 'gives up',
  stays: 'stays',
} as const;

const heads = [
  ...['player', 'outcome', 'after', 'nothing to show', 'left out', 'moved', 'to', 'by its rules'],
];

const verdicts = {
  carried: 'carried',
  interrupted: 'interrupted',
  lost: 'LOST',
  waiting: 'not due yet',
  stays: 'stays',
  unproved: 'proves nothing',
} as const;

/** A drill as a table for a terminal. */
export function drillInWords(drill: DrillView): string {
  const { wish, families, probes, viewers, passed, state } = drill;
  const rows = families.map((family) => [
    `${family.family}${family.isAssumed ? ' *' : ''}`,
    verdicts[family.verdict],
    seconds(family.servedAfterMs),
    seconds(family.withoutMediaMs),
    seconds(family.missingMs),
    `${family.moved} of ${family.chosen}`,
    family.to.join(', ') || '-',
    expectedInWords(family),
  ]);
  const notes = probes.flatMap(({ family, note }) =>
    note === undefined ? [] : `${family}: ${note}`,
  );
  return [
    `${wish.stream}, ${wish.failure}, ${state === 'stopped' ? 'stopped early' : `${wish.durationS} s`}: ${
      passed === undefined
        ? 'it did not come to the failure'
        : passed
          ? 'nobody was lost who moves by its rules'
          : 'somebody was lost, or nothing was proved'
    }`,
    ...table([heads, ...rows]),
    ...(families.some(({ isAssumed }) => isAssumed)
      ? ["* known from its maker's documents only"]
      : []),
    ...viewers.map(
      ({ family, met, arrived, arrivedAfterMs, to, left }) =>
        `viewers, ${family}: ${met} met it, ${arrived} were found at ${to.join(', ') || 'another node'}${
          arrivedAfterMs === undefined ? '' : ` after ${seconds(arrivedAfterMs)} at most`
        }, ${left} ask here no more`,
    ),
    ...new Set(notes),
  ].join('\n');
}

function expectedInWords({ expected, expectedWithinMs }: FamilyResult): string {
  const within = expectedWithinMs === undefined ? '' : ` within ${seconds(expectedWithinMs)}`;
  return `${outcomes[expected]}${within}`;
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? '-' : `${Math.round(ms / 100) / 10} s`;
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
