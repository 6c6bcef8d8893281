import { useState } from 'preact/hooks';
import { useApi } from '../api.ts';
import { useSpeech } from '../words/words.ts';

const failures = ['not-found', 'cut', 'silent', 'frozen', 'slow'] as const;
const families = ['hls.js', 'shaka', 'vhs', 'media3', 'avplayer', 'legacy'] as const;

/** What shall fail, for whom and for how long. */
export function DrillForm({ streams }: { readonly streams: readonly string[] }) {
  const { words } = useSpeech();
  const { drill: said } = words;
  const api = useApi();
  const [fault, setFault] = useState<string>();
  const [failure, setFailure] = useState<(typeof failures)[number]>('not-found');
  const [viewersPercent, setViewersPercent] = useState(0);
  const begin = async (form: FormData) => {
    const number = (name: string) => Number(form.get(name));
    const { error } = await api.POST('/api/v1/drills', {
      body: {
        stream: String(form.get('stream')).trim(),
        failure,
        viewersPercent,
        durationS: number('durationS'),
        probes: number('probes'),
        sharePercent: number('sharePercent'),
        families: families.filter((family) => form.get(family) !== null),
        force: form.get('force') !== null,
        ...(failure === 'slow' && { slowMs: number('slowMs') }),
      },
    });
    setFault(error?.detail);
  };
  return (
    <form
      class="card fields"
      onSubmit={(event) => {
        event.preventDefault();
        begin(new FormData(event.currentTarget)).catch((error: unknown) => setFault(String(error)));
      }}
    >
      <label>
        {words.stream}
        <input name="stream" required list="drill-streams" defaultValue={streams[0] ?? ''} />
        <datalist id="drill-streams">
          {streams.map((stream) => (
            <option key={stream} value={stream} />
          ))}
        </datalist>
      </label>
      <label>
        {said.failure}
        <select
          value={failure}
          onChange={({ currentTarget: { value } }) =>
            setFailure(failures.find((one) => one === value) ?? 'not-found')
          }
        >
          {failures.map((one) => (
            <option key={one} value={one}>
              {said.failures[one]}
            </option>
          ))}
        </select>
      </label>
      <label>
        {said.lasts}
        <input name="durationS" type="number" min="5" max="300" required defaultValue="30" />
      </label>
      {failure === 'slow' && (
        <label>
          {said.slowMs}
          <input name="slowMs" type="number" min="100" max="30000" required defaultValue="3000" />
        </label>
      )}
      <p class="wide quiet">{said.failureMeaning[failure]}</p>
      <More viewersPercent={viewersPercent} onViewersPercent={setViewersPercent} />
      {viewersPercent > 0 && (
        <p class="wide mark" role="status">
          {said.viewersWarning(viewersPercent)}
        </p>
      )}
      <button type="submit" class="strong">
        {said.begin}
      </button>
      {fault !== undefined && (
        <p role="alert" class="wide fault">
          {words.failed}: {fault}
        </p>
      )}
    </form>
  );
}

function More(props: {
  readonly viewersPercent: number;
  readonly onViewersPercent: (percent: number) => void;
}) {
  const { words } = useSpeech();
  const { drill: said } = words;
  return (
    <details class="wide">
      <summary>{said.more}</summary>
      <div class="fields">
        <fieldset class="wide checks">
          <legend>{said.players}</legend>
          {families.map((family) => (
            <label key={family} class="check">
              <input type="checkbox" name={family} defaultChecked /> {family}
            </label>
          ))}
        </fieldset>
        <label>
          {said.perFamily}
          <input name="probes" type="number" min="1" max="4" required defaultValue="1" />
        </label>
        <label>
          {said.share}
          <input name="sharePercent" type="number" min="0" max="100" required defaultValue="100" />
        </label>
        <label>
          {said.viewers}
          <input
            type="number"
            min="0"
            max="100"
            step="any"
            required
            value={props.viewersPercent}
            onInput={({ currentTarget: { valueAsNumber } }) =>
              props.onViewersPercent(Number.isFinite(valueAsNumber) ? valueAsNumber : 0)
            }
          />
        </label>
        <label class="check">
          <input type="checkbox" name="force" /> {said.force}
        </label>
      </div>
    </details>
  );
}
