import type { components } from '../api-types.ts';
import { useSpeech } from '../words/words.ts';
import { Table } from './bits.tsx';

export type Drill = components['schemas']['Drill'];
type Family = Drill['families'][number];

const colours: Readonly<Record<Family['verdict'], string>> = {
  carried: 'reserve',
  interrupted: 'degraded',
  lost: 'none',
  waiting: 'open',
  stays: 'open',
  unproved: 'open',
};

/** Up to when the failure has lasted, and how long it will, ms. */
type Span = { readonly failedForMs: number; readonly lastsMs: number };

/** How each kind of player fared, with what its rules say of it. */
export function DrillResult({ drill, ...span }: { readonly drill: Drill } & Span) {
  const { words, seconds } = useSpeech();
  const { drill: said } = words;
  const heads = [
    words.player,
    said.verdict,
    said.after,
    said.nothing,
    said.missing,
    said.moved,
    said.to,
    said.expected,
  ];
  return (
    <>
      <Table name={words.nav.drill} heads={heads}>
        {drill.families.map((family) => (
          <FamilyRow key={family.family} family={family} {...span} />
        ))}
      </Table>
      <p class="legend quiet" aria-hidden="true">
        {(['home', 'seeking', 'nothing', 'away'] as const).map((part) => (
          <span key={part} data-part={part}>
            {said.stripLegend[part]}
          </span>
        ))}
      </p>
      {drill.families.some(({ isAssumed }) => isAssumed) && <p class="quiet">* {said.assumed}</p>}
      {drill.viewers.map(({ family, met, arrived, arrivedAfterMs, to, left }) => (
        <p key={family}>
          {said.viewersMet(family, met, arrived, to.join(', '), left)}
          {arrivedAfterMs !== undefined && `, ${said.viewersTook(seconds(arrivedAfterMs))}`}
        </p>
      ))}
      {[...new Set(drill.probes.flatMap(({ note }) => note ?? []))].map((note) => (
        <p key={note} class="fault">
          {note}
        </p>
      ))}
    </>
  );
}

function FamilyRow({ family, ...span }: { readonly family: Family } & Span) {
  const { words, seconds } = useSpeech();
  const { drill: said } = words;
  const { expectedWithinMs, servedAfterMs, verdict } = family;
  const shown = (ms: number | undefined) => (ms === undefined ? '–' : seconds(ms));
  return (
    <tr>
      <th scope="row">
        {family.family}
        {family.isAssumed && <span class="quiet"> *</span>}
        <Strip family={family} {...span} />
      </th>
      <td>
        <span class="badge" data-state={colours[verdict]} title={said.verdictMeaning[verdict]}>
          {said.verdicts[verdict]}
        </span>
      </td>
      <td class="number">{shown(servedAfterMs)}</td>
      <td class="number">{seconds(family.withoutMediaMs)}</td>
      <td class="number">{seconds(family.missingMs)}</td>
      <td class="number">{said.of(family.moved, family.chosen)}</td>
      <td class="mono">{family.to.join(', ') || '–'}</td>
      <td class="number">
        {said.outcomes[family.expected]}{' '}
        {expectedWithinMs !== undefined && (
          <span class="quiet">{said.within(seconds(expectedWithinMs))}</span>
        )}
      </td>
    </tr>
  );
}

/** The time of the failure as one player spent it; what it had nothing to show in stands before it was served again. */
function Strip({ family, failedForMs, lastsMs }: { readonly family: Family } & Span) {
  const { words, seconds } = useSpeech();
  const { metAfterMs, servedAfterMs, withoutMediaMs } = family;
  const all = failedForMs;
  const met = Math.min(metAfterMs ?? all, all);
  const served = Math.max(met, Math.min(servedAfterMs ?? all, all));
  const nothing = Math.min(withoutMediaMs, served - met);
  const parts = [
    ['home', 0, met],
    ['seeking', met, served - nothing],
    ['nothing', served - nothing, served],
    ['away', served, all],
  ] as const;
  return (
    <svg
      class="strip"
      viewBox="0 0 1000 10"
      preserveAspectRatio="none"
      role="img"
      aria-label={words.drill.strip(seconds(met), seconds(served - met), seconds(nothing))}
    >
      {parts.map(([part, from, to]) => (
        <rect
          key={part}
          data-part={part}
          x={(from / lastsMs) * 1000}
          width={((to - from) / lastsMs) * 1000}
          y="0"
          height="10"
        />
      ))}
    </svg>
  );
}
