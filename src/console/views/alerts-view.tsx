import { Section } from '../parts/bits.tsx';
import type { Alert } from '../state.ts';
import { useSpeech } from '../words/words.ts';

/** Alerts that stand, and those that are over. */
export function AlertsView({ alerts }: { readonly alerts: readonly Alert[] }) {
  const { words } = useSpeech();
  const standing = alerts.filter(({ state }) => state === 'raised');
  const over = alerts.filter(({ state }) => state === 'cleared');
  return (
    <>
      <div class="head">
        <h1>{words.nav.alerts}</h1>
      </div>
      <Section title={words.alertsStanding}>
        <AlertList alerts={standing} none={words.noAlerts} />
      </Section>
      <Section title={words.alertsOver}>
        <AlertList alerts={over} none={words.noHistory} />
      </Section>
    </>
  );
}

function AlertList({ alerts, none }: { readonly alerts: readonly Alert[]; readonly none: string }) {
  const { words, language, reason, remedy, time, duration } = useSpeech();
  if (alerts.length === 0) return <p class="quiet">{none}</p>;
  return (
    <ul class="alerts">
      {alerts.map((alert) => {
        const { code, name, group, node, cause, raisedAt, clearedAt } = alert;
        const text = `${[group, node].filter(Boolean).join(', ')}: ${reason(cause)}`;
        return (
          <li key={`${code} ${group} ${node} ${raisedAt}`} data-state={alert.state}>
            <p>
              <span class="code">{code}</span> <span class="mono">{name}</span>{' '}
              <span class="quiet">
                {time(raisedAt)}
                {clearedAt !== undefined &&
                  ` – ${time(clearedAt)} (${duration(clearedAt - raisedAt)})`}
              </span>
            </p>
            <p>
              {language === 'en' ? alert.text : text} <code>{cause}</code>
            </p>
            {alert.state === 'raised' && (
              <p class="remedy">
                <span class="quiet">{words.remedy}:</span>{' '}
                {language === 'en' ? alert.remedy : remedy(cause)}
              </p>
            )}
          </li>
        );
      })}
    </ul>
  );
}
