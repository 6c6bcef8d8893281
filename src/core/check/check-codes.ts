/** What is looked at before a launch, in the order in which it is told. */
export const checkAreas = [
  'groups',
  'key',
  'names',
  'certificates',
  'peers',
  'clocks',
  'alerts',
  'redirects',
] as const;

export type CheckArea = (typeof checkAreas)[number];

/** An `error` has to be mended before viewers are let in; a `warning` may be meant. */
type Severity = 'error' | 'warning';

type Code = { readonly area: CheckArea; readonly severity: Severity; readonly remedy: string };

/**
 * Every code that a check can find, with what to do about it, as `docs/check.md` has them (compared by a test). A code
 * is never reused for another meaning.
 */
export const checkCodes = {
  'groups-missing': {
    area: 'groups',
    severity: 'error',
    remedy: 'give the streams of this node a group that other nodes carry, too',
  },
  'group-without-backup': {
    area: 'groups',
    severity: 'error',
    remedy: 'see the problems of the group and the reasons of its members: GET /api/v1/groups',
  },
  'group-problem': {
    area: 'groups',
    severity: 'error',
    remedy: 'see its code in docs/reasons.md',
  },
  'key-not-in-force': {
    area: 'key',
    severity: 'error',
    remedy: 'wait some seconds; then GET /api/v1/key says which peer does not take it',
  },
  'public-url-missing': {
    area: 'names',
    severity: 'error',
    remedy: 'set UNDERSTUDY_PUBLIC_URL of that node',
  },
  'host-is-address': {
    area: 'names',
    severity: 'warning',
    remedy: 'give the node a host name: addresses change, and certificates are made for names',
  },
  'name-unresolved': {
    area: 'names',
    severity: 'error',
    remedy: 'see the host name in UNDERSTUDY_PUBLIC_URL of that node, and its DNS record',
  },
  'address-not-public': {
    area: 'names',
    severity: 'error',
    remedy: 'mend the DNS record; --lab if all viewers are inside',
  },
  'address-shared': {
    area: 'names',
    severity: 'warning',
    remedy: 'nodes at one address fail together: give each its own',
  },
  'viewer-listener-silent': {
    area: 'names',
    severity: 'error',
    remedy:
      'start that node, or mend the way to its viewer listener; some networks do not reach their own public address: then check from elsewhere with --node',
  },
  'viewer-listener-not-agent': {
    area: 'names',
    severity: 'error',
    remedy: 'something else listens there: mend UNDERSTUDY_PUBLIC_URL or the proxy in front',
  },
  'viewer-listener-other-node': {
    area: 'names',
    severity: 'error',
    remedy: 'the name leads to another node: mend DNS, UNDERSTUDY_PUBLIC_URL or the proxy in front',
  },
  'plain-http': {
    area: 'certificates',
    severity: 'warning',
    remedy:
      'serve viewers over https: pages on https play nothing else, and passes can be read on the way',
  },
  'certificate-untrusted': {
    area: 'certificates',
    severity: 'error',
    remedy: 'use a certificate of a public authority, with its whole chain in the file',
  },
  'certificate-name': {
    area: 'certificates',
    severity: 'error',
    remedy: 'use a certificate made for that host name',
  },
  'certificate-not-yet-valid': {
    area: 'certificates',
    severity: 'error',
    remedy: 'see the clock here, then the certificate',
  },
  'certificate-expired': {
    area: 'certificates',
    severity: 'error',
    remedy: 'renew it; the agent reads changed files by itself',
  },
  'certificate-expires-soon': {
    area: 'certificates',
    severity: 'error',
    remedy: 'see why it was not renewed; the agent reads changed files by itself',
  },
  'peer-unreachable': {
    area: 'peers',
    severity: 'error',
    remedy: 'start that node, or mend the way to its peer listener; docs/peers.md lists the faults',
  },
  'peer-deaf': {
    area: 'peers',
    severity: 'error',
    remedy: 'mend UNDERSTUDY_PEERS of the node that does not hear, or the way from it',
  },
  'peer-unlisted': {
    area: 'peers',
    severity: 'error',
    remedy: 'add its peer listener to UNDERSTUDY_PEERS of this node; nothing if it was taken out',
  },
  'clock-skew': {
    area: 'clocks',
    severity: 'error',
    remedy: 'set that clock, by NTP',
  },
  'clock-apart': {
    area: 'clocks',
    severity: 'warning',
    remedy: 'see whether NTP runs on both: clocks so far apart are not kept by it',
  },
  'alert-stands': {
    area: 'alerts',
    severity: 'error',
    remedy: 'do what the alert says: GET /api/v1/alerts?state=raised',
  },
  'alert-targets-missing': {
    area: 'alerts',
    severity: 'warning',
    remedy: 'set UNDERSTUDY_ALERT_WEBHOOKS, unless Prometheus watches the nodes',
  },
  'alert-undeliverable': {
    area: 'alerts',
    severity: 'error',
    remedy: 'mend the URL in UNDERSTUDY_ALERT_WEBHOOKS, or what listens there',
  },
  'alert-untried': {
    area: 'alerts',
    severity: 'warning',
    remedy: 'check with a bearer token for writing, and without --no-test-alert',
  },
  'redirect-untried': {
    area: 'redirects',
    severity: 'warning',
    remedy: 'mend what else was found first; a bearer token for writing is needed',
  },
  'redirect-missing': {
    area: 'redirects',
    severity: 'error',
    remedy: 'ask understudy explain for the stream: it says why no node is fit for such a viewer',
  },
  'redirect-elsewhere': {
    area: 'redirects',
    severity: 'error',
    remedy: 'something in front of the node changes Location: leave it as the agent writes it',
  },
  'redirect-refused': {
    area: 'redirects',
    severity: 'error',
    remedy: 'see the code in docs/reasons.md, and the node that it came from',
  },
} as const satisfies Record<string, Code>;

export type CheckCode = keyof typeof checkCodes;
