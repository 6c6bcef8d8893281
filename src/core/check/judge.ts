import type { UnixMs } from '../time.ts';
import { type CheckArea, type CheckCode, checkAreas } from './check-codes.ts';
import type { CheckFacts, TrialFacts } from './facts.ts';
import { type Finding, finding } from './findings.ts';
import { judgeGroups, judgePeers } from './judge-domain.ts';
import { judgeSites } from './judge-sites.ts';

/** What is as it should be where all nodes and viewers are inside of one network. */
const fineInLabs: ReadonlySet<CheckCode> = new Set([
  'public-url-missing',
  'host-is-address',
  'address-not-public',
  'address-shared',
  'plain-http',
  'alert-targets-missing',
]);

/**
 * Everything that stands between a domain and its viewers, in the order of areas.
 *
 * @param options.isLab names need not be public, nor https
 */
export function judgeDomain(
  facts: CheckFacts,
  options: { readonly nowMs: UnixMs; readonly isLab: boolean },
): readonly Finding[] {
  const found = [
    ...judgeGroups(facts),
    ...judgeSites(facts.sites, options.nowMs),
    ...judgePeers(facts),
    ...judgeAlerts(facts),
    ...facts.trials.flatMap(judgeTrial),
  ];
  const place = ({ area }: { readonly area: CheckArea }) => checkAreas.indexOf(area);
  return found
    .filter(({ code }) => !(options.isLab && fineInLabs.has(code)))
    .toSorted((a, b) => place(a) - place(b));
}

/** Whoever has to get up is told, and nobody has to get up now. */
function judgeAlerts({ alerts, delivery }: CheckFacts): readonly Finding[] {
  return [
    ...alerts.map(({ code, node, text }) =>
      finding('alert-stands', { node, text: `alert ${code} stands: ${text}` }),
    ),
    ...judgeDelivery(delivery),
  ];
}

function judgeDelivery(delivery: CheckFacts['delivery']): readonly Finding[] {
  if (delivery.kind === 'untried')
    return [finding('alert-untried', { text: `no test alert was sent: ${delivery.why}` })];
  if (delivery.targets.length === 0)
    return [finding('alert-targets-missing', { text: 'alerts are told to nobody' })];
  return delivery.targets.flatMap(({ to, fault }) =>
    fault === undefined
      ? []
      : [finding('alert-undeliverable', { text: `${to} did not take the test alert: ${fault}` })],
  );
}

function judgeTrial({ group, stream, outcome }: TrialFacts): readonly Finding[] {
  const of = (code: CheckCode, text: string, node?: string) => [
    finding(code, { group, node, text: `stream ${stream} ${text}` }),
  ];
  switch (outcome.kind) {
    case 'served':
      return [];
    case 'untried':
      return of('redirect-untried', `was not tried: ${outcome.why}`);
    case 'not-redirected': {
      const why = outcome.reason === undefined ? '' : `, ${outcome.reason}`;
      return of('redirect-missing', `got no redirect, but status ${outcome.status}${why}`);
    }
    case 'elsewhere':
      return of('redirect-elsewhere', `was redirected to ${outcome.host}, which is no node`);
    case 'refused':
      return of(
        'redirect-refused',
        `was redirected to ${outcome.to}: ${outcome.cause}`,
        outcome.to,
      );
  }
}
