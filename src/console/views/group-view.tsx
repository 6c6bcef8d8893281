import { useAsked } from '../api.ts';
import { ArchivePicture } from '../parts/archive-picture.tsx';
import { Reasons, Section, StateBadge, Table, YesNo } from '../parts/bits.tsx';
import { CoverPicture } from '../parts/cover-picture.tsx';
import { Problems } from '../parts/problems.tsx';
import type { Group, Member, State } from '../state.ts';
import { useSpeech } from '../words/words.ts';

const sessionsEveryMs = 5_000;
const coverageEveryMs = 10_000;

/** Everything about one group. */
export function GroupView({ name, state }: { readonly name: string; readonly state: State }) {
  const { words } = useSpeech();
  const group = state.groups?.groups.find((one) => one.name === name);
  if (group === undefined) return <h1>{state.groups === undefined ? words.live.waiting : name}</h1>;
  const own = group.members.find(({ node }) => node === state.node?.id);
  return (
    <>
      <div class="head">
        <p class="crumbs">
          <a href="#/groups">{words.nav.groups}</a>
        </p>
        <h1>
          {name} <StateBadge state={group.state} />
        </h1>
        <p class="quiet">{words.stateMeaning[group.state]}</p>
      </div>
      {group.problems.length > 0 && (
        <Section title={words.problems}>
          <Problems problems={group.problems} />
        </Section>
      )}
      <Members group={group} self={state.node?.id} />
      <div class="columns">
        <Section title={words.whoBacksWhom} note={words.coverNote}>
          <CoverPicture
            nodes={group.members.map((member) => ({
              id: member.node,
              isThere: member.onAir && isHeard(member),
            }))}
            forecasts={state.forecast?.forecasts ?? []}
          />
        </Section>
        {own && <Archive stream={own.stream} self={own.node} />}
      </div>
      {own && <Sessions stream={own.stream} />}
    </>
  );
}

/** Whether what is said of a member is of now: of a node that is not heard it is what it said last. */
function isHeard({ reasons }: Member): boolean {
  return !reasons.includes('unreachable') && !reasons.includes('reachability-unknown');
}

function Members({ group, self }: { readonly group: Group; readonly self: string | undefined }) {
  const { words } = useSpeech();
  const heads = [
    words.node,
    words.stream,
    words.onAir,
    words.eligible,
    words.source,
    words.clock,
    words.reasons,
  ];
  return (
    <Section title={words.members}>
      <Table name={words.members} heads={heads}>
        {group.members.map((member) => (
          <MemberRow
            key={`${member.node} ${member.stream}`}
            member={member}
            isSelf={member.node === self}
          />
        ))}
      </Table>
    </Section>
  );
}

function MemberRow({ member, isSelf }: { readonly member: Member; readonly isSelf: boolean }) {
  const { words, number } = useSpeech();
  const { ptsDifference, clockOffsetMs, sourceLabel } = member;
  return (
    <tr>
      <th scope="row" class="mono">
        {member.node}
        {isSelf && <span class="quiet"> {words.thisNode}</span>}
      </th>
      <td class="mono">{member.stream}</td>
      <td>
        {isHeard(member) ? (
          <YesNo is={member.onAir} />
        ) : (
          <span class="quiet">{words.reachability.unknown}</span>
        )}
      </td>
      <td>
        <YesNo is={member.eligible} />
      </td>
      <td>
        {words.sources[member.source]}
        {sourceLabel !== undefined && <span class="quiet"> {sourceLabel}</span>}
        {ptsDifference !== undefined && (
          <span class="quiet">
            {' '}
            {words.offset.toLowerCase()} {number(ptsDifference / 90)} ms
          </span>
        )}
      </td>
      <td class="number">{clockOffsetMs === undefined ? '–' : `${number(clockOffsetMs)} ms`}</td>
      <td>{member.reasons.length === 0 ? '–' : <Reasons codes={member.reasons} />}</td>
    </tr>
  );
}

function Archive({ stream, self }: { readonly stream: string; readonly self: string }) {
  const { words } = useSpeech();
  const coverage = useAsked(
    (api) => api.GET('/api/v1/streams/{name}/coverage', { params: { path: { name: stream } } }),
    stream,
    coverageEveryMs,
  );
  if (coverage === undefined) return null;
  const rows = [{ node: self, ...coverage }, ...coverage.members];
  const isEmpty = rows.every(({ ts, fmp4 }) => ts.ranges.length + fmp4.ranges.length === 0);
  return (
    <Section title={words.archive}>
      <Problems problems={coverage.problems} />
      {isEmpty ? <p class="quiet">{words.noArchive}</p> : <ArchivePicture rows={rows} />}
    </Section>
  );
}

function Sessions({ stream }: { readonly stream: string }) {
  const { words, duration } = useSpeech();
  const page = useAsked(
    (api) => api.GET('/api/v1/sessions', { params: { query: { stream, limit: 50 } } }),
    stream,
    sessionsEveryMs,
  );
  if (page === undefined) return null;
  const heads = [words.kind, words.home, words.player, words.backups, words.idle];
  return (
    <Section
      title={words.sessions}
      note={page.total === 0 ? words.noSessions : words.sessionsTotal(page.total)}
    >
      {page.total > 0 && (
        <Table name={words.sessions} heads={heads}>
          {page.sessions.map(({ id, kind, home, family, backups, lastSeenAt }) => (
            <tr key={id}>
              <td>{words.kinds[kind]}</td>
              <td class="mono">{home}</td>
              <td>{family}</td>
              <td class="mono">{backups.join(', ') || '–'}</td>
              <td class="number">{duration(Math.max(0, Date.now() - lastSeenAt))}</td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
