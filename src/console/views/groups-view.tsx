import { useState } from 'preact/hooks';
import { StateBadge } from '../parts/bits.tsx';
import { Problems } from '../parts/problems.tsx';
import type { Group, State } from '../state.ts';
import { useSpeech } from '../words/words.ts';

const order = { none: 0, degraded: 1, reserve: 2 } as const;

/** All groups, those that need somebody first. */
export function GroupsView({ state: { groups, node } }: { readonly state: State }) {
  const { words } = useSpeech();
  const [filter, setFilter] = useState('');
  if (groups === undefined) return <p class="quiet">{words.live.waiting}</p>;
  const all = groups.groups;
  const shown = all
    .filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()))
    .sort((a, b) => order[a.state] - order[b.state] || (a.name < b.name ? -1 : 1));
  return (
    <>
      <div class="head">
        <h1>{words.nav.groups}</h1>
        <p class="quiet">{node && words.asSeenFrom(node.id)}</p>
        <Counts groups={all} />
      </div>
      {all.length > 8 && (
        <p class="filter">
          <input
            type="search"
            aria-label={words.filter}
            placeholder={words.filter}
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
          <span class="quiet">{words.shown(shown.length, all.length)}</span>
        </p>
      )}
      {all.length === 0 && <p>{words.noGroups}</p>}
      <ul class="groups">
        {shown.map((group) => (
          <li key={group.name} class="card" data-state={group.state}>
            <h2>
              <a href={`#/groups/${encodeURIComponent(group.name)}`}>{group.name}</a>
              <StateBadge state={group.state} />
            </h2>
            <p class="members">
              {group.members.map((member) => (
                <span
                  key={`${member.node} ${member.stream}`}
                  class="chip"
                  data-is={member.eligible}
                >
                  {member.node}
                </span>
              ))}
            </p>
            <Problems problems={group.problems} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Counts({ groups }: { readonly groups: readonly Group[] }) {
  const { words } = useSpeech();
  return (
    <p class="counts" aria-live="polite">
      {(['none', 'degraded', 'reserve'] as const).map((state) => {
        const count = groups.filter((group) => group.state === state).length;
        return count === 0 ? null : (
          <span key={state} class="badge" data-state={state}>
            {count} {words.states[state]}
          </span>
        );
      })}
    </p>
  );
}
