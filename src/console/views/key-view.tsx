import { useApi } from '../api.ts';
import { Ask, Table, YesNo } from '../parts/bits.tsx';
import type { ViewingKeys } from '../state.ts';
import { useSpeech } from '../words/words.ts';

const stateColours = { 'in-force': 'reserve', spreading: 'degraded', missing: 'none' } as const;

/** The viewing key: which one signs, and who lacks one. Ids only; the keys are never told. */
export function KeyView({ keys }: { readonly keys: ViewingKeys | undefined }) {
  const { words, time } = useSpeech();
  const api = useApi();
  if (keys === undefined) return <h1>{words.live.waiting}</h1>;
  const heads = [
    'id',
    words.generation,
    words.signs,
    words.created,
    words.superseded,
    words.lackedBy,
  ];
  return (
    <>
      <div class="head">
        <h1>
          {words.nav.key}{' '}
          <span class="badge" data-state={stateColours[keys.state]}>
            {words.keyStates[keys.state]}
          </span>
        </h1>
        <p class="quiet">{words.keyMeaning[keys.state]}</p>
        <Ask
          label={words.rotate}
          question={words.rotateAsk}
          act={() => api.POST('/api/v1/key/rotate')}
        />
      </div>
      <section class="card">
        <Table name={words.nav.key} heads={heads}>
          {keys.keys.map((key) => (
            <tr key={key.id}>
              <th scope="row" class="mono">
                {key.id}
              </th>
              <td class="number">{key.generation}</td>
              <td>
                <YesNo is={key.signs} />
              </td>
              <td>{time(key.createdAt)}</td>
              <td>{key.supersededAt === undefined ? '–' : time(key.supersededAt)}</td>
              <td class="mono">{key.lackedBy.join(', ') || '–'}</td>
            </tr>
          ))}
        </Table>
      </section>
    </>
  );
}
