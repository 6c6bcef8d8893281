import { hostname } from 'node:os';
import { z } from 'zod';
import { variables } from './config-variables.ts';
import { viewerAuthFaults, viewerAuthOf } from './config-viewer-auth.ts';
import type { Config, ListenAddress } from './core/config.ts';
import { ConfigError } from './core/errors.ts';

const prefix = 'UNDERSTUDY_';
const mebibyte = 1024 * 1024;
const schema = z.strictObject(variables);
type Values = z.output<typeof schema>;

/**
 * The settings from an environment. Values are trimmed, and an empty one counts as not set. `hostName` names a node
 * that has no id set.
 * @throws config_invalid with every fault at once, each naming its variable and none repeating a value
 */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>>,
  hostName: string = hostname(),
): Config {
  const given = Object.entries(env)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value = '']) => [name, value.trim()] as const);
  const unknown = given.filter(([name]) => !Object.hasOwn(variables, name));
  const set: Record<string, string> = Object.fromEntries(
    given.filter(([name, value]) => Object.hasOwn(variables, name) && value !== ''),
  );
  const result = schema.safeParse(set);
  const faults = [
    ...unknown.map(([name]) => `${name} is not a variable of this version`),
    ...(result.error?.issues ?? []).map((issue) => `${String(issue.path[0])} ${issue.message}`),
    ...faultsBetween(set),
  ];
  if (faults.length > 0 || !result.success) throw new ConfigError('wrong configuration', faults);
  return deepFreeze(configOf(result.data, hostName));
}

function faultsBetween(set: Readonly<Record<string, string>>): string[] {
  const faults: string[] = [];
  const { UNDERSTUDY_TLS_CERT_FILE: cert, UNDERSTUDY_TLS_KEY_FILE: key } = set;
  if ((cert === undefined) !== (key === undefined))
    faults.push(
      `UNDERSTUDY_TLS_${cert === undefined ? 'CERT' : 'KEY'}_FILE must be set: certificate and key go together`,
    );
  if (set.UNDERSTUDY_PEERS !== undefined && set.UNDERSTUDY_CLUSTER_SECRET === undefined)
    faults.push('UNDERSTUDY_CLUSTER_SECRET must be set: UNDERSTUDY_PEERS names peers');
  const oidc = [
    'UNDERSTUDY_OIDC_ISSUER',
    'UNDERSTUDY_OIDC_AUDIENCE',
    'UNDERSTUDY_OIDC_JWKS_URL',
  ] as const;
  if (oidc.some((name) => set[name] !== undefined))
    for (const name of oidc)
      if (set[name] === undefined)
        faults.push(`${name} must be set: issuer, audience and keys go together`);
  return [...faults, ...viewerAuthFaults(set), ...listenFaults(set)];
}

function listenFaults(set: Readonly<Record<string, string>>): string[] {
  const names = ['UNDERSTUDY_LISTEN', 'UNDERSTUDY_ADMIN_LISTEN', 'UNDERSTUDY_PEER_LISTEN'] as const;
  const listeners = names.flatMap((name) => {
    const address = variables[name].safeParse(set[name]).data;
    return address === undefined || address.port === 0 ? [] : [{ name, ...address }];
  });
  return listeners.flatMap((one, at) =>
    listeners
      .slice(at + 1)
      .filter((other) => other.port === one.port && shareAHost(one, other))
      .map((other) => `${other.name} must not be the address of ${one.name}`),
  );
}

function shareAHost(one: ListenAddress, other: ListenAddress): boolean {
  const everywhere = [one.host, other.host].some((host) => host === '0.0.0.0' || host === '::');
  return everywhere || one.host === other.host;
}

function configOf(values: Values, hostName: string): Config {
  const { UNDERSTUDY_TLS_CERT_FILE: certFile, UNDERSTUDY_TLS_KEY_FILE: keyFile } = values;
  return {
    node: {
      id: values.UNDERSTUDY_NODE_ID ?? nodeIdOf(hostName),
      publicUrl: values.UNDERSTUDY_PUBLIC_URL,
      weight: values.UNDERSTUDY_CAPACITY_WEIGHT,
    },
    viewers: {
      listen: values.UNDERSTUDY_LISTEN,
      tls: certFile !== undefined && keyFile !== undefined ? { certFile, keyFile } : undefined,
      trustedProxies: values.UNDERSTUDY_TRUSTED_PROXIES,
      auth: viewerAuthOf(values),
      loginLimitScope: values.UNDERSTUDY_LOGIN_LIMIT_SCOPE,
    },
    admin: {
      listen: values.UNDERSTUDY_ADMIN_LISTEN,
      token: values.UNDERSTUDY_ADMIN_TOKEN,
      oidc: oidcOf(values),
    },
    peers: {
      listen: values.UNDERSTUDY_PEER_LISTEN,
      urls: values.UNDERSTUDY_PEERS,
      clusterSecret: values.UNDERSTUDY_CLUSTER_SECRET,
    },
    passes: {
      ttlS: values.UNDERSTUDY_PASS_TTL_S,
      keyRotationCron: values.UNDERSTUDY_KEY_ROTATION_CRON,
    },
    limits: {
      backupSessionsMax: values.UNDERSTUDY_BACKUP_SESSION_LIMIT,
      cpuPercentMax: values.UNDERSTUDY_CPU_LIMIT_PERCENT,
      networkPercentMax: values.UNDERSTUDY_NETWORK_LIMIT_PERCENT,
      stopDrainS: values.UNDERSTUDY_STOP_DRAIN_S,
      networkCapacityMbps: values.UNDERSTUDY_NETWORK_CAPACITY_MBPS,
      segmentCacheBytesMax: values.UNDERSTUDY_SEGMENT_CACHE_MB * mebibyte,
      windowBytesMax:
        values.UNDERSTUDY_WINDOW_MEMORY_MB && values.UNDERSTUDY_WINDOW_MEMORY_MB * mebibyte,
    },
    workers: values.UNDERSTUDY_WORKERS,
    store: { dataDir: values.UNDERSTUDY_DATA_DIR },
    streamsFile: values.UNDERSTUDY_STREAMS_FILE,
    alertWebhooks: values.UNDERSTUDY_ALERT_WEBHOOKS,
    logLevel: values.UNDERSTUDY_LOG_LEVEL,
    warnings: warningsOf(values),
  };
}

function oidcOf(values: Values): Config['admin']['oidc'] {
  const {
    UNDERSTUDY_OIDC_ISSUER: issuer,
    UNDERSTUDY_OIDC_AUDIENCE: audience,
    UNDERSTUDY_OIDC_JWKS_URL: jwksUrl,
  } = values;
  return issuer !== undefined && audience !== undefined && jwksUrl !== undefined
    ? { issuer, audience, jwksUrl }
    : undefined;
}

/** A host name in the form of a node id. */
function nodeIdOf(hostName: string): string {
  const id = hostName
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 63);
  return id === '' ? 'node' : id;
}

function warningsOf(values: Values): string[] {
  const warnings: string[] = [];
  const { UNDERSTUDY_PUBLIC_URL: publicUrl, UNDERSTUDY_ADMIN_LISTEN: admin } = values;
  if (publicUrl === undefined)
    warnings.push(
      'UNDERSTUDY_PUBLIC_URL is not set: viewers who came over https cannot be sent to this node',
    );
  if (publicUrl?.startsWith('http:') && values.UNDERSTUDY_TLS_CERT_FILE !== undefined)
    warnings.push('UNDERSTUDY_PUBLIC_URL is http although viewers are served over TLS');
  if (!isLoopback(admin.host))
    warnings.push(
      'UNDERSTUDY_ADMIN_LISTEN is open to other machines without TLS: the bearer token can be read on the way',
    );
  const { UNDERSTUDY_OIDC_JWKS_URL: keysUrl } = values;
  if (keysUrl !== undefined && isOpenOnTheWay(new URL(keysUrl)))
    warnings.push(
      'UNDERSTUDY_OIDC_JWKS_URL is http: whoever is on the way can put keys of his own in place and use the REST API',
    );
  return warnings;
}

function isOpenOnTheWay({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value))
    if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}
