import { Section, Table } from '../parts/bits.tsx';
import type { Forecast } from '../state.ts';
import { useSpeech } from '../words/words.ts';

/** What becomes of the viewers of each node if it dies now. */
export function ForecastView({ forecasts }: { readonly forecasts: readonly Forecast[] }) {
  const { words } = useSpeech();
  return (
    <>
      <div class="head">
        <h1>{words.nav.forecast}</h1>
        <p class="quiet">{words.forecastIntro}</p>
      </div>
      {forecasts.length === 0 && <p>{words.noForecast}</p>}
      <div class="columns">
        {forecasts.map((forecast) => (
          <OneForecast key={forecast.node} forecast={forecast} />
        ))}
      </div>
    </>
  );
}

function OneForecast({ forecast }: { readonly forecast: Forecast }) {
  const { words } = useSpeech();
  const { node, viewers, withoutBackup, refused, survivors } = forecast;
  const isFine = withoutBackup === 0 && refused === 0;
  return (
    <Section title={words.ifDies(node)} note={words.watching(viewers)}>
      <p class="outcome">
        {isFine && (
          <span class="badge" data-state="reserve">
            {words.allCarried}
          </span>
        )}
        {withoutBackup > 0 && (
          <span class="badge" data-state="degraded">
            {words.withoutBackup(withoutBackup)}
          </span>
        )}
        {refused > 0 && (
          <span class="badge" data-state="none">
            {words.refused(refused)}
          </span>
        )}
      </p>
      <Table
        name={words.ifDies(node)}
        heads={[
          words.node,
          words.takes,
          words.wouldHave,
          words.cpu,
          words.network,
          words.stoppedBy,
        ]}
      >
        {survivors.map((survivor) => (
          <tr key={survivor.node}>
            <th scope="row" class="mono">
              {survivor.node}
            </th>
            <td class="number">{survivor.takes}</td>
            <td class="number">
              {survivor.backupSessions}
              {survivor.backupSessionsMax !== undefined && (
                <span class="quiet"> / {survivor.backupSessionsMax}</span>
              )}
            </td>
            <Percent percent={survivor.cpuPercent} limit={survivor.cpuLimitPercent} />
            <Percent percent={survivor.networkPercent} limit={survivor.networkLimitPercent} />
            <td>{survivor.stoppedBy === undefined ? '–' : stopWord(survivor.stoppedBy, words)}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

function Percent(props: {
  readonly percent: number | undefined;
  readonly limit: number | undefined;
}) {
  const { number } = useSpeech();
  return (
    <td class="number">
      {props.percent === undefined ? '–' : `${number(props.percent)} %`}
      {props.limit !== undefined && <span class="quiet"> / {props.limit} %</span>}
    </td>
  );
}

function stopWord(
  stop: 'cpu' | 'network' | 'backup-limit',
  words: ReturnType<typeof useSpeech>['words'],
): string {
  return { cpu: words.cpu, network: words.network, 'backup-limit': words.limit }[stop];
}
