import { useState } from 'preact/hooks';
import { useApi } from '../api.ts';
import type { components } from '../api-types.ts';
import { Reasons, Section, Table, YesNo } from '../parts/bits.tsx';
import type { Group } from '../state.ts';
import { useSpeech } from '../words/words.ts';

type Explanation = components['schemas']['Explanation'];

const colours = {
  serve: 'reserve',
  join: 'reserve',
  redirect: 'degraded',
  'not-found': 'none',
  refused: 'none',
} as const;

/** Why would this viewer get what he gets? */
export function ExplainView({ groups }: { readonly groups: readonly Group[] }) {
  const { words } = useSpeech();
  const api = useApi();
  const [explanation, setExplanation] = useState<Explanation>();
  const [fault, setFault] = useState<string>();
  const ask = async (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const { data, error } = await api.POST('/api/v1/explain', {
      body: {
        stream: text('stream'),
        address: text('address'),
        protocol: text('protocol') === 'dash' ? 'dash' : 'hls',
        https: form.get('https') !== null,
        ...(text('userAgent') !== '' && { userAgent: text('userAgent') }),
        ...(text('home') !== '' && { home: text('home') }),
        ...(text('token') !== '' && { token: text('token') }),
        ...(text('from') !== '' && {
          period: { startAt: instantOf(text('from')), endAt: instantOf(text('until')) },
        }),
      },
    });
    setExplanation(data);
    setFault(error?.detail);
  };
  return (
    <>
      <div class="head">
        <h1>{words.nav.explain}</h1>
        <p class="quiet">{words.explainIntro}</p>
      </div>
      <form
        class="card fields"
        onSubmit={(event) => {
          event.preventDefault();
          ask(new FormData(event.currentTarget)).catch((error: unknown) => setFault(String(error)));
        }}
      >
        <Fields
          streams={[
            ...new Set(groups.flatMap(({ members }) => members.map(({ stream }) => stream))),
          ]}
          nodes={[...new Set(groups.flatMap(({ members }) => members.map(({ node }) => node)))]}
        />
      </form>
      {fault !== undefined && (
        <p role="alert" class="fault">
          {words.failed}: {fault}
        </p>
      )}
      {explanation && <Answer explanation={explanation} />}
    </>
  );
}

/** A local time as the page has it; empty: now. */
function instantOf(text: string): number {
  return text === '' ? Date.now() : new Date(text).getTime();
}

function Fields(props: { readonly streams: readonly string[]; readonly nodes: readonly string[] }) {
  const { streams, nodes } = props;
  const { words } = useSpeech();
  return (
    <>
      <label>
        {words.stream}
        <input name="stream" required list="streams" defaultValue={streams[0] ?? ''} />
        <datalist id="streams">
          {streams.map((stream) => (
            <option key={stream} value={stream} />
          ))}
        </datalist>
      </label>
      <label>
        {words.protocol}
        <select name="protocol">
          <option value="hls">HLS</option>
          <option value="dash">DASH</option>
        </select>
      </label>
      <label>
        {words.address}
        <input name="address" required defaultValue="198.51.100.7" />
      </label>
      <label class="check">
        <input type="checkbox" name="https" /> {words.https}
      </label>
      <label class="wide">
        {words.userAgent}
        <input name="userAgent" defaultValue={navigator.userAgent} />
      </label>
      <details class="wide">
        <summary>{words.explainMore}</summary>
        <div class="fields">
          <label>
            {words.cameFrom}
            <select name="home">
              <option value="">{words.cameHereFirst}</option>
              {nodes.map((node) => (
                <option key={node} value={node}>
                  {node}
                </option>
              ))}
            </select>
          </label>
          <label>
            {words.viewerToken}
            <input name="token" autocomplete="off" />
          </label>
          <label>
            {words.periodFrom}
            <input name="from" type="datetime-local" step="1" />
          </label>
          <label>
            {words.periodUntil}
            <input name="until" type="datetime-local" step="1" />
          </label>
        </div>
      </details>
      <button type="submit" class="strong">
        {words.ask}
      </button>
    </>
  );
}

function AccessLine({ access }: { readonly access: Explanation['access'] }) {
  const { words } = useSpeech();
  const { by, reason, login, sessionsMax, taken } = access;
  if (by === 'open') return null;
  return (
    <p>
      {by === 'pass' ? words.letInByPass : <YesNo is={reason === undefined} />}{' '}
      {by === 'token' && words.viewerToken}
      {login !== undefined && `: ${words.loginWatches(login, taken ?? 0, sessionsMax)}`}
    </p>
  );
}

function Answer({ explanation }: { readonly explanation: Explanation }) {
  const { words, reason } = useSpeech();
  const { placement, viewer, candidates, location } = explanation;
  return (
    <Section title={reason(explanation.reason)}>
      <p class="outcome">
        <span class="badge" data-state={colours[placement]}>
          {words.placements[placement]}
        </span>
        <span>{viewer.family}</span>
        <span>{viewer.followsBackups ? words.followsBackups : words.followsNone}</span>
        <span>{viewer.isPublic ? words.publicViewer : words.privateViewer}</span>
        <code>{explanation.reason}</code>
      </p>
      <AccessLine access={explanation.access} />
      {location !== undefined && <p class="mono">{location}</p>}
      {candidates.length > 0 && (
        <Table
          name={words.reasons}
          heads={[words.node, words.stream, words.offered, words.reasons]}
        >
          {candidates.map((candidate) => (
            <tr key={candidate.node}>
              <th scope="row" class="mono">
                {candidate.node}
              </th>
              <td class="mono">{candidate.stream}</td>
              <td>
                <YesNo is={candidate.offered} />
              </td>
              <td>
                {candidate.reasons.length === 0 ? '–' : <Reasons codes={candidate.reasons} />}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
