import type { z } from 'zod';
import {
  baseUrl,
  baseUrlOf,
  cidrOf,
  hourlyCron,
  listenAddress,
  listOf,
  matching,
  oneOf,
  positiveNumber,
  webUrl,
  webUrlOf,
  wholeNumber,
} from './config-values.ts';

const secretBytesMin = 32;

/** What the documents say of a variable; a test compares them. */
type About = { readonly meaning: string; readonly default: string; readonly unit?: string };

/** A variable that always has a value. */
function setting<T>(schema: z.ZodType<T, string>, words: About) {
  return schema.prefault(words.default).meta({ ...words, isSet: true });
}

/** A variable that may be missing; `default` says in words what follows from that. */
function option<T>(schema: z.ZodType<T, string>, words: About) {
  return schema.optional().meta({ ...words, isSet: false });
}

const filePath = matching((value) => !value.includes('\0'), 'be the path of a file');

/** Every setting of a node: type, default, bounds and meaning, in the order of the documents. */
export const variables = {
  UNDERSTUDY_NODE_ID: option(
    matching((value) => /^[a-z0-9][a-z0-9.-]{0,62}$/.test(value), 'match [a-z0-9][a-z0-9.-]{0,62}'),
    { meaning: 'name of this node, unique in the domain', default: 'the host name' },
  ),
  UNDERSTUDY_LISTEN: setting(listenAddress(), {
    meaning: 'where viewers are served',
    default: '0.0.0.0:8080',
  }),
  UNDERSTUDY_ADMIN_LISTEN: setting(listenAddress(), {
    meaning: 'REST API, console, /metrics, /healthz and /readyz',
    default: '127.0.0.1:8081',
  }),
  UNDERSTUDY_PEER_LISTEN: setting(listenAddress(), {
    meaning: 'where the other nodes ask this one',
    default: '0.0.0.0:8082',
  }),
  UNDERSTUDY_PUBLIC_URL: option(baseUrl(), {
    meaning: 'scheme and host viewers reach this node at, e.g. https://node-a.example.net',
    default: 'none: the node announces its own addresses, http only',
  }),
  UNDERSTUDY_TLS_CERT_FILE: option(filePath, {
    meaning: 'certificate chain (PEM) for viewers, HTTP/2 and 1.1; read again when it changes',
    default: 'none: plain http',
  }),
  UNDERSTUDY_TLS_KEY_FILE: option(filePath, {
    meaning: 'private key (PEM) of the certificate',
    default: 'none: plain http',
  }),
  UNDERSTUDY_PEERS: setting(listOf(baseUrlOf, 'http(s)://host[:port] without path'), {
    meaning: 'base URLs of the peers, separated by commas; may hold this node itself',
    default: '',
  }),
  UNDERSTUDY_REGISTRY: setting(
    matching(
      (value) => value === 'peers',
      'be "peers": nats://... is not available in this version',
    ),
    { meaning: 'how nodes find each other: they ask each other', default: 'peers' },
  ),
  UNDERSTUDY_CLUSTER_SECRET: option(
    matching(
      (value) => Buffer.byteLength(value) >= secretBytesMin,
      `have at least ${secretBytesMin} bytes`,
    ),
    {
      meaning: 'secret shared by all nodes of the domain, e.g. from "openssl rand -base64 48"',
      default: 'none; required when there are peers',
    },
  ),
  UNDERSTUDY_ADMIN_TOKEN: option(
    matching(
      (value) => /^[A-Za-z0-9._~+/-]{16,256}={0,2}$/.test(value),
      'have 16 to 256 letters, digits or . _ ~ + / -',
    ),
    {
      meaning: 'bearer token of the REST API',
      default: 'generated and printed once at the first start, kept as a hash',
    },
  ),
  UNDERSTUDY_OIDC_ISSUER: option(webUrl(), {
    meaning: 'OpenID Connect provider whose tokens the REST API takes, as in their "iss"',
    default: 'none: only bearer tokens of this node',
  }),
  UNDERSTUDY_OIDC_AUDIENCE: option(
    matching((value) => value.length <= 200, 'have at most 200 characters'),
    {
      meaning: 'what the "aud" of such a token must hold',
      default: 'none; required with an issuer',
    },
  ),
  UNDERSTUDY_OIDC_JWKS_URL: option(webUrl(), {
    meaning: 'where the public keys of the provider are (JWKS)',
    default: 'none; required with an issuer',
  }),
  UNDERSTUDY_DATA_DIR: setting(filePath, {
    meaning: 'folder of the database and, below dvr, of recordings',
    default: './data',
  }),
  UNDERSTUDY_STREAMS_FILE: option(filePath, {
    meaning: 'YAML or JSON list of streams, read at start and on SIGHUP',
    default: 'none: streams come through the API',
  }),
  UNDERSTUDY_PASS_TTL_S: setting(wholeNumber(60, 604_800), {
    meaning: 'life of a pass: longer than anybody watches in one go',
    default: '43200',
    unit: 'seconds',
  }),
  UNDERSTUDY_KEY_ROTATION_CRON: setting(hourlyCron(), {
    meaning: 'when the viewing key rolls, in the time zone of the process',
    default: '0 4 * * *',
  }),
  UNDERSTUDY_BACKUP_SESSION_LIMIT: option(wholeNumber(0, 1_000_000), {
    meaning: 'most viewers of other nodes admitted at once; 0 admits none',
    default: 'none: only load limits count',
    unit: 'viewers',
  }),
  UNDERSTUDY_CAPACITY_WEIGHT: setting(positiveNumber(100), {
    meaning: 'share of backups relative to the other nodes; above 0, at most 100',
    default: '1',
  }),
  UNDERSTUDY_CPU_LIMIT_PERCENT: setting(wholeNumber(1, 100), {
    meaning: 'processor load above which viewers of other nodes are refused',
    default: '90',
    unit: 'percent',
  }),
  UNDERSTUDY_NETWORK_LIMIT_PERCENT: setting(wholeNumber(1, 100), {
    meaning: 'network load above which viewers of other nodes are refused',
    default: '90',
    unit: 'percent',
  }),
  UNDERSTUDY_NETWORK_CAPACITY_MBPS: option(wholeNumber(1, 10_000_000), {
    meaning: 'what 100 percent of network load is',
    default: 'none: the speed of the link',
    unit: 'Mbit/s',
  }),
  UNDERSTUDY_STOP_DRAIN_S: setting(wholeNumber(0, 600), {
    meaning: 'time viewers get to move to other nodes when the agent is stopped; 0: none',
    default: '5',
    unit: 'seconds',
  }),
  UNDERSTUDY_SEGMENT_CACHE_MB: setting(wholeNumber(0, 65_536), {
    meaning: 'memory for live segments that many viewers share',
    default: '256',
    unit: 'MiB',
  }),
  UNDERSTUDY_WINDOW_MEMORY_MB: option(wholeNumber(16, 1_048_576), {
    meaning: 'memory for the live windows of streams written anew',
    default: 'none: half of the memory',
    unit: 'MiB',
  }),
  UNDERSTUDY_WORKERS: setting(wholeNumber(0, 64), {
    meaning: 'processes that serve viewers beside one that decides; 0: one process does all',
    default: '0',
    unit: 'processes',
  }),
  UNDERSTUDY_TRUSTED_PROXIES: setting(listOf(cidrOf, 'a CIDR range or an IP address'), {
    meaning: 'CIDRs, separated by commas, whose X-Forwarded-For is believed; empty: never read',
    default: '',
  }),
  UNDERSTUDY_VIEWER_AUTH: setting(oneOf('none', 'jwt', 'http'), {
    meaning: 'how viewers who open are checked: not, by a signed token, or by asking a backend',
    default: 'none',
  }),
  UNDERSTUDY_VIEWER_AUTH_JWT_KEY: option(
    matching(
      (value) => Buffer.byteLength(value) >= secretBytesMin,
      `have at least ${secretBytesMin} bytes`,
    ),
    {
      meaning: "shared key of viewers' tokens (HS256), for jwt",
      default: 'none; this or the JWKS is required for jwt',
    },
  ),
  UNDERSTUDY_VIEWER_AUTH_JWKS_URL: option(webUrl(), {
    meaning: "JWKS with the public keys of viewers' tokens, for jwt",
    default: 'none; this or the key is required for jwt',
  }),
  UNDERSTUDY_VIEWER_AUTH_LIMIT_CLAIM: setting(
    matching((value) => /^[\w:/.-]{1,100}$/.test(value), 'be the name of a claim'),
    { meaning: 'claim of a token with the most sessions of its login', default: 'max_sessions' },
  ),
  UNDERSTUDY_VIEWER_AUTH_URL: option(webUrl(), {
    meaning: 'backend that is asked for each viewer who opens, for http',
    default: 'none; required for http',
  }),
  UNDERSTUDY_VIEWER_AUTH_DEADLINE_MS: setting(wholeNumber(50, 10_000), {
    meaning: 'how long backend or JWKS are waited for',
    default: '800',
    unit: 'milliseconds',
  }),
  UNDERSTUDY_VIEWER_AUTH_CACHE_S: setting(wholeNumber(0, 86_400), {
    meaning: 'how long an answer holds at most; 0: each opening is checked anew',
    default: '180',
    unit: 'seconds',
  }),
  UNDERSTUDY_VIEWER_AUTH_ON_FAILURE: setting(oneOf('fail-closed', 'fail-open'), {
    meaning: 'whether viewers are let in while backend or JWKS cannot be asked',
    default: 'fail-closed',
  }),
  UNDERSTUDY_LOGIN_LIMIT_SCOPE: setting(oneOf('node', 'group'), {
    meaning:
      'where the sessions of a login are counted: on each node by itself, or on all together',
    default: 'node',
  }),
  UNDERSTUDY_ALERT_WEBHOOKS: setting(listOf(webUrlOf, 'an http(s) URL'), {
    meaning: 'URLs, separated by commas, that get alerts as JSON',
    default: '',
  }),
  UNDERSTUDY_LOG_LEVEL: setting(oneOf('debug', 'info', 'warn', 'error'), {
    meaning: 'least weight of what is logged: debug, info, warn or error',
    default: 'info',
  }),
};
