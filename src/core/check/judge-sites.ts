import type { UnixMs } from '../time.ts';
import type { CheckCode } from './check-codes.ts';
import type { CertificateFacts, SiteFacts } from './facts.ts';
import { type Finding, finding } from './findings.ts';

const dayMs = 86_400_000;

/** A certificate with less left has not been renewed when it should have been; exactly this much is fine. */
const renewalMs = 14 * dayMs;

/** Of certificates that live shorter this part must be left. */
const renewalShare = 1 / 4;

/** Every node is reached where it says it is: a public name of its own, a good certificate, the node behind it. */
export function judgeSites(sites: readonly SiteFacts[], nowMs: UnixMs): readonly Finding[] {
  return [
    ...sites.flatMap((site) => [...judgeName(site), ...judgeListener(site)]),
    ...sharedAddresses(sites),
    ...sites.flatMap((site) => judgeScheme(site, nowMs)),
  ];
}

function judgeName({ node, base, isDeclared, addresses, unresolved }: SiteFacts) {
  if (base === undefined || !isDeclared)
    return [finding('public-url-missing', { node, text: `${node} announces no public URL` })];
  const { hostname } = new URL(base);
  if (addresses === undefined || addresses.length === 0) {
    const why = unresolved ?? 'no address';
    return [finding('name-unresolved', { node, text: `${hostname} of ${node}: ${why}` })];
  }
  const others = addresses.filter((address) => address.class !== 'public');
  const isLiteral = addresses.some(({ text }) => text === hostname.replace(/^\[|\]$/g, ''));
  return [
    ...(isLiteral
      ? [finding('host-is-address', { node, text: `${node} is announced as ${hostname}, no name` })]
      : []),
    ...others.map(({ text, class: kind }) =>
      finding('address-not-public', { node, text: `${hostname} of ${node} is ${text}: ${kind}` }),
    ),
  ];
}

function judgeListener({ node, base, listener }: SiteFacts): readonly Finding[] {
  if (listener === undefined) return [];
  const of = (code: CheckCode, text: string) => [
    finding(code, { node, text: `${text} at ${base} of ${node}` }),
  ];
  if (listener.kind === 'silent')
    return of('viewer-listener-silent', `nobody answers (${listener.cause})`);
  if (listener.node === undefined) return of('viewer-listener-not-agent', 'no agent answers');
  return listener.node === node ? [] : of('viewer-listener-other-node', `${listener.node} answers`);
}

/** Addresses that names of several nodes lead to. */
function sharedAddresses(sites: readonly SiteFacts[]): readonly Finding[] {
  const nodesAt = new Map<string, Set<string>>();
  for (const { node, addresses = [] } of sites)
    for (const { text } of addresses) nodesAt.set(text, (nodesAt.get(text) ?? new Set()).add(node));
  return [...nodesAt]
    .filter(([, nodes]) => nodes.size > 1)
    .map(([address, nodes]) =>
      finding('address-shared', { text: `${[...nodes].join(', ')} are all at ${address}` }),
    );
}

function judgeScheme({ node, base, certificate }: SiteFacts, nowMs: UnixMs): readonly Finding[] {
  if (base?.startsWith('http:'))
    return [finding('plain-http', { node, text: `${node} is announced over plain http` })];
  if (base === undefined || certificate === undefined) return [];
  return judgeCertificate({ node, base }, certificate, nowMs);
}

function judgeCertificate(
  { node, base }: { readonly node: string; readonly base: string },
  { untrusted, coversName, validFrom, validTo }: CertificateFacts,
  nowMs: UnixMs,
): readonly Finding[] {
  const name = new URL(base).hostname;
  const of = (code: CheckCode, text: string) =>
    finding(code, { node, text: `the certificate of ${name} (${node}) ${text}` });
  const time = judgeTime({ validFrom, validTo }, nowMs);
  const isTimely = time === undefined || time === 'certificate-expires-soon';
  const leftDays = ((validTo - nowMs) / dayMs).toFixed(1);
  return [
    ...(untrusted !== undefined && isTimely
      ? [of('certificate-untrusted', `is not trusted here: ${untrusted}`)]
      : []),
    ...(coversName ? [] : [of('certificate-name', 'is for other names')]),
    ...(time === undefined ? [] : [of(time, timeText[time](leftDays))]),
  ];
}

type TimeCode = Extract<
  CheckCode,
  'certificate-not-yet-valid' | 'certificate-expired' | 'certificate-expires-soon'
>;

const timeText: Readonly<Record<TimeCode, (leftDays: string) => string>> = {
  'certificate-not-yet-valid': () => 'is not valid yet',
  'certificate-expired': () => 'has expired',
  'certificate-expires-soon': (leftDays) => `expires in ${leftDays} days`,
};

function judgeTime(
  { validFrom, validTo }: Pick<CertificateFacts, 'validFrom' | 'validTo'>,
  nowMs: UnixMs,
): TimeCode | undefined {
  if (nowMs < validFrom) return 'certificate-not-yet-valid';
  if (nowMs >= validTo) return 'certificate-expired';
  const neededMs = Math.min(renewalMs, (validTo - validFrom) * renewalShare);
  return validTo - nowMs < neededMs ? 'certificate-expires-soon' : undefined;
}
