import { useEffect, useState } from 'preact/hooks';
import { useApi } from '../api.ts';
import { Ask, Section } from '../parts/bits.tsx';
import { DrillForm } from '../parts/drill-form.tsx';
import { type Drill, DrillResult } from '../parts/drill-result.tsx';
import type { State } from '../state.ts';
import { useSpeech } from '../words/words.ts';

const states = ['reserve', 'degraded', 'none'];

/** Trying out what players make of a failure of this node; what goes on comes with the node's events. */
export function DrillView({ state }: { readonly state: State }) {
  const { words } = useSpeech();
  const { drill: said } = words;
  const drills = state.drills?.drills ?? [];
  const groups = state.groups?.groups ?? [];
  const self = state.node?.id;
  // First those that have somebody to take over.
  const byState = groups.toSorted((a, b) => states.indexOf(a.state) - states.indexOf(b.state));
  const streams = byState.flatMap(({ members }) =>
    members.filter(({ node }) => node === self).map(({ stream }) => stream),
  );
  const [current, ...earlier] = drills;
  const isOn = current !== undefined && isGoingOn(current);
  return (
    <>
      <div class="head">
        <h1>{words.nav.drill}</h1>
        <p class="quiet">{said.intro}</p>
      </div>
      {isOn || <DrillForm streams={[...new Set(streams)]} />}
      {drills.length === 0 && <p class="quiet">{said.none}</p>}
      {current && <OneDrill key={current.id} drill={current} />}
      {earlier.length > 0 && (
        <details>
          <summary>{said.earlier(earlier.length)}</summary>
          <div class="stack">
            {earlier.map((drill) => (
              <OneDrill key={drill.id} drill={drill} />
            ))}
          </div>
        </details>
      )}
    </>
  );
}

function isGoingOn({ state }: Drill): boolean {
  return state === 'warming' || state === 'failing';
}

function OneDrill({ drill }: { readonly drill: Drill }) {
  const { words, time, seconds } = useSpeech();
  const { drill: said } = words;
  const api = useApi();
  const { wish, failureAt } = drill;
  const now = useSecond(isGoingOn(drill));
  const failedForMs = failureAt === undefined ? 0 : (drill.endedAt ?? now) - failureAt;
  return (
    <Section
      title={said.at(said.failures[wish.failure], wish.stream)}
      note={said.lasted(time(drill.startedAt), seconds(wish.durationS * 1000))}
    >
      <p class="outcome" aria-live="polite">
        <Outcome drill={drill} />
        {drill.state === 'failing' && failureAt !== undefined && (
          <>
            <progress
              max={wish.durationS}
              value={Math.min(wish.durationS, failedForMs / 1000)}
              aria-label={said.states.failing}
            />
            <span class="number quiet">
              {said.left(Math.max(0, Math.ceil(wish.durationS - failedForMs / 1000)))}
            </span>
          </>
        )}
        {isGoingOn(drill) && (
          <Ask
            label={said.end}
            question={said.endAsk}
            act={() => api.DELETE('/api/v1/drills/{id}', { params: { path: { id: drill.id } } })}
          />
        )}
      </p>
      {failureAt !== undefined && (
        <DrillResult
          drill={drill}
          failedForMs={failedForMs}
          lastsMs={drill.endedAt === undefined ? wish.durationS * 1000 : Math.max(1, failedForMs)}
        />
      )}
    </Section>
  );
}

function Outcome({ drill: { state, passed } }: { readonly drill: Drill }) {
  const { words } = useSpeech();
  const { drill: said } = words;
  if (state === 'warming' || state === 'failing')
    return (
      <span class="badge" data-state={state === 'failing' ? 'degraded' : 'open'}>
        {said.states[state]}
      </span>
    );
  if (passed === undefined)
    return (
      <span class="badge" data-state="open">
        {said.noFailure}
      </span>
    );
  return (
    <>
      <span class="badge" data-state={passed ? 'reserve' : 'none'}>
        {passed ? said.passed : said.notPassed}
      </span>
      <span class="quiet">{passed ? said.passedNote : said.notPassedNote}</span>
      {state === 'stopped' && <span class="quiet">{said.states.stopped}</span>}
    </>
  );
}

/** The time now, looked at twice a second while `isOn`. */
function useSecond(isOn: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [isOn]);
  return now;
}
