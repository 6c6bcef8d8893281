import { describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config.ts';
import { ConfigError } from '../src/core/errors.ts';
import { configVariables } from './support/config-variables.ts';

const secret = 's'.repeat(32);
const peers = { UNDERSTUDY_PEERS: 'http://b:8082', UNDERSTUDY_CLUSTER_SECRET: secret };

function load(env: Record<string, string | undefined> = {}, hostName = 'node-a') {
  return loadConfig(env, hostName);
}

function faultsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    load(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('the settings of a node', () => {
  it('are complete without any variable', () => {
    expect(load()).toEqual({
      node: { id: 'node-a', publicUrl: undefined, weight: 1 },
      viewers: {
        listen: { host: '0.0.0.0', port: 8080 },
        tls: undefined,
        loginLimitScope: 'node',
        trustedProxies: [],
      },
      admin: { listen: { host: '127.0.0.1', port: 8081 }, token: undefined },
      peers: { listen: { host: '0.0.0.0', port: 8082 }, urls: [], clusterSecret: undefined },
      passes: { ttlS: 43_200, keyRotationCron: '0 4 * * *' },
      limits: {
        backupSessionsMax: undefined,
        cpuPercentMax: 90,
        networkPercentMax: 90,
        stopDrainS: 5,
        networkCapacityMbps: undefined,
        segmentCacheBytesMax: 256 * 1024 * 1024,
        windowBytesMax: undefined,
      },
      workers: 0,
      store: { dataDir: './data' },
      streamsFile: undefined,
      alertWebhooks: [],
      logLevel: 'info',
      warnings: [expect.stringContaining('UNDERSTUDY_PUBLIC_URL')],
    });
  });

  it('cannot be changed once made, lists included', () => {
    const config = load(peers);
    expect(() => Object.assign(config.limits, { cpuPercentMax: 1 })).toThrow(TypeError);
    expect(() => (config.peers.urls as string[]).push('http://c:8082')).toThrow(TypeError);
  });

  it('take an empty variable, or one of blanks, for one that is not set', () => {
    expect(load({ UNDERSTUDY_PASS_TTL_S: '', UNDERSTUDY_PEERS: '  ' })).toEqual(load());
  });

  it('are trimmed, so that a line end behind the secret makes no difference', () => {
    expect(load({ ...peers, UNDERSTUDY_CLUSTER_SECRET: `${secret}\n` }).peers.clusterSecret).toBe(
      secret,
    );
  });

  it.each([
    ['Studio_7.Example', 'studio-7.example'],
    ['-a', 'a'],
    [`n${'x'.repeat(70)}`, `n${'x'.repeat(62)}`],
    ['', 'node'],
  ])('name the node after its host %j as %j', (hostName, id) => {
    expect(load({}, hostName).node.id).toBe(id);
  });

  it.each([
    [
      'UNDERSTUDY_LISTEN',
      '[::]:0',
      (c: ReturnType<typeof load>) => c.viewers.listen,
      { host: '::', port: 0 },
    ],
    [
      'UNDERSTUDY_ADMIN_LISTEN',
      'LocalHost:65535',
      (c: ReturnType<typeof load>) => c.admin.listen,
      { host: 'localhost', port: 65_535 },
    ],
    [
      'UNDERSTUDY_PUBLIC_URL',
      'HTTPS://Node-A.example.net/',
      (c: ReturnType<typeof load>) => c.node.publicUrl,
      'https://node-a.example.net',
    ],
    [
      'UNDERSTUDY_PUBLIC_URL',
      'http://[2001:db8::1]:8080',
      (c: ReturnType<typeof load>) => c.node.publicUrl,
      'http://[2001:db8::1]:8080',
    ],
    [
      'UNDERSTUDY_TRUSTED_PROXIES',
      '10.0.0.0/8, 2001:db8::1,192.0.2.7',
      (c: ReturnType<typeof load>) => c.viewers.trustedProxies,
      ['10.0.0.0/8', '2001:db8::1/128', '192.0.2.7/32'],
    ],
    ['UNDERSTUDY_CAPACITY_WEIGHT', '0.5', (c: ReturnType<typeof load>) => c.node.weight, 0.5],
    [
      'UNDERSTUDY_BACKUP_SESSION_LIMIT',
      '0',
      (c: ReturnType<typeof load>) => c.limits.backupSessionsMax,
      0,
    ],
    [
      'UNDERSTUDY_SEGMENT_CACHE_MB',
      '1',
      (c: ReturnType<typeof load>) => c.limits.segmentCacheBytesMax,
      1_048_576,
    ],
    [
      'UNDERSTUDY_WINDOW_MEMORY_MB',
      '16',
      (c: ReturnType<typeof load>) => c.limits.windowBytesMax,
      16 * 1_048_576,
    ],
    [
      'UNDERSTUDY_ALERT_WEBHOOKS',
      'https://u:p@alerts.example/x?y=1',
      (c: ReturnType<typeof load>) => c.alertWebhooks,
      ['https://u:p@alerts.example/x?y=1'],
    ],
    [
      'UNDERSTUDY_DATA_DIR',
      '/var/lib/understudy',
      (c: ReturnType<typeof load>) => c.store.dataDir,
      '/var/lib/understudy',
    ],
    [
      'UNDERSTUDY_STREAMS_FILE',
      'streams.yaml',
      (c: ReturnType<typeof load>) => c.streamsFile,
      'streams.yaml',
    ],
    [
      'UNDERSTUDY_ADMIN_TOKEN',
      'a'.repeat(16),
      (c: ReturnType<typeof load>) => c.admin.token,
      'a'.repeat(16),
    ],
    [
      'UNDERSTUDY_KEY_ROTATION_CRON',
      '30 */6 * * *',
      (c: ReturnType<typeof load>) => c.passes.keyRotationCron,
      '30 */6 * * *',
    ],
    [
      'UNDERSTUDY_NETWORK_CAPACITY_MBPS',
      '10000',
      (c: ReturnType<typeof load>) => c.limits.networkCapacityMbps,
      10_000,
    ],
    ['UNDERSTUDY_WORKERS', '64', (c: ReturnType<typeof load>) => c.workers, 64],
    ['UNDERSTUDY_LOG_LEVEL', 'debug', (c: ReturnType<typeof load>) => c.logLevel, 'debug'],
  ])('read %s=%s', (name, value, pick, expected) => {
    expect(pick(load({ [name]: value }))).toEqual(expected);
  });

  it('name each peer once, also this node itself', () => {
    const env = { ...peers, UNDERSTUDY_PEERS: 'http://a:8082,http://B:8082/, http://b:8082' };
    expect(load(env).peers.urls).toEqual(['http://a:8082', 'http://b:8082']);
  });

  it('warn of a panel open to the network and of a public URL that forgets TLS', () => {
    const { warnings } = load({
      UNDERSTUDY_ADMIN_LISTEN: '0.0.0.0:8081',
      UNDERSTUDY_PUBLIC_URL: 'http://a.example',
      UNDERSTUDY_TLS_CERT_FILE: 'c.pem',
      UNDERSTUDY_TLS_KEY_FILE: 'k.pem',
    });
    expect(warnings.map((warning) => warning.split(' ')[0])).toEqual([
      'UNDERSTUDY_PUBLIC_URL',
      'UNDERSTUDY_ADMIN_LISTEN',
    ]);
  });

  it.each([
    ['http://id.example.net/keys', true],
    ['HTTP://id.example.net/keys', true],
    ['http://[2001:db8::1]/keys', true],
    ['https://id.example.net/keys', false],
    ['http://127.0.0.1:8080/keys', false],
    ['http://[::1]:8080/keys', false],
    ['http://localhost/keys', false],
  ])('warn of %s as the keys of an identity provider: %s', (url, isTold) => {
    const { warnings } = load({
      UNDERSTUDY_OIDC_ISSUER: 'https://id.example.net',
      UNDERSTUDY_OIDC_AUDIENCE: 'understudy',
      UNDERSTUDY_OIDC_JWKS_URL: url,
    });
    const told = warnings.filter((warning) => warning.startsWith('UNDERSTUDY_OIDC_JWKS_URL'));
    expect(told).toHaveLength(isTold ? 1 : 0);
  });
});

describe('wrong settings', () => {
  it.each([
    ['UNDERSTUDY_NODE_ID', 'Node-A'],
    ['UNDERSTUDY_NODE_ID', `a${'b'.repeat(63)}`],
    ['UNDERSTUDY_LISTEN', '8080'],
    ['UNDERSTUDY_LISTEN', ':8080'],
    ['UNDERSTUDY_LISTEN', '0.0.0.0:65536'],
    ['UNDERSTUDY_ADMIN_LISTEN', '300.0.0.1:80'],
    ['UNDERSTUDY_PEER_LISTEN', '::1:8082'],
    ['UNDERSTUDY_PEER_LISTEN', '[10.0.0.1]:8082'],
    ['UNDERSTUDY_PUBLIC_URL', 'node-a.example.net'],
    ['UNDERSTUDY_PUBLIC_URL', 'ftp://node-a.example.net'],
    ['UNDERSTUDY_PUBLIC_URL', 'https://node-a.example.net/tv'],
    ['UNDERSTUDY_PUBLIC_URL', 'https://node-a.example.net?x=1'],
    ['UNDERSTUDY_PUBLIC_URL', 'https://user@node-a.example.net'],
    ['UNDERSTUDY_PUBLIC_URL', 'https://node-a.example.net:99999'],
    ['UNDERSTUDY_PEERS', 'http://b:8082,b:8082'],
    ['UNDERSTUDY_PEERS', 'http://b:8082/path'],
    ['UNDERSTUDY_PEERS', 'http://b:8082,'],
    ['UNDERSTUDY_PEERS', Array.from({ length: 65 }, (_, at) => `http://n${at}:1`).join()],
    ['UNDERSTUDY_REGISTRY', 'nats://127.0.0.1:4222'],
    ['UNDERSTUDY_CLUSTER_SECRET', 's'.repeat(31)],
    ['UNDERSTUDY_ADMIN_TOKEN', 'a'.repeat(15)],
    ['UNDERSTUDY_ADMIN_TOKEN', 'with blanks inside it'],
    ['UNDERSTUDY_PASS_TTL_S', '59'],
    ['UNDERSTUDY_PASS_TTL_S', '604801'],
    ['UNDERSTUDY_PASS_TTL_S', '1h'],
    ['UNDERSTUDY_KEY_ROTATION_CRON', 'daily'],
    ['UNDERSTUDY_KEY_ROTATION_CRON', '*/5 4 * * *'],
    ['UNDERSTUDY_KEY_ROTATION_CRON', '0 0 4 * * *'],
    ['UNDERSTUDY_KEY_ROTATION_CRON', '0 4 31 2 *'],
    ['UNDERSTUDY_BACKUP_SESSION_LIMIT', '-1'],
    ['UNDERSTUDY_CAPACITY_WEIGHT', '0'],
    ['UNDERSTUDY_CAPACITY_WEIGHT', '100.1'],
    ['UNDERSTUDY_CPU_LIMIT_PERCENT', '0'],
    ['UNDERSTUDY_CPU_LIMIT_PERCENT', '101'],
    ['UNDERSTUDY_NETWORK_LIMIT_PERCENT', '90%'],
    ['UNDERSTUDY_NETWORK_CAPACITY_MBPS', '0'],
    ['UNDERSTUDY_SEGMENT_CACHE_MB', '65537'],
    ['UNDERSTUDY_WINDOW_MEMORY_MB', '15'],
    ['UNDERSTUDY_WINDOW_MEMORY_MB', '1048577'],
    ['UNDERSTUDY_WORKERS', '65'],
    ['UNDERSTUDY_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['UNDERSTUDY_TRUSTED_PROXIES', '10.0'],
    ['UNDERSTUDY_ALERT_WEBHOOKS', 'alerts.example'],
    ['UNDERSTUDY_ALERT_WEBHOOKS', 'https://ops:100%@alerts.example/'],
    ['UNDERSTUDY_ALERT_WEBHOOKS', 'https://%E0%A4%A@alerts.example/'],
    ['UNDERSTUDY_LOG_LEVEL', 'trace'],
    ['UNDERSTUDY_DATA_DIR', 'a\0'],
    ['UNDERSTUDY_STREAMS_FILE', 'x'.repeat(8193)],
    ['UNDERSTUDY_SKEW_LIMIT_S', '1'],
  ])('such as %s=%j are named and not repeated', (name, value) => {
    const faults = faultsOf({ ...peers, [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${name} (must|is not|entry \\d must) `));
    if (value.length > 5) expect(faults[0]).not.toContain(value);
  });

  it('are told all at once, those between variables included', () => {
    const message = (() => {
      try {
        load({
          UNDERSTUDY_NODE_ID: '!',
          UNDERSTUDY_PASS_TTL_S: 'x',
          UNDERSTUDY_TLS_CERT_FILE: 'c.pem',
          UNDERSTUDY_PEERS: 'http://b:8082,c',
          UNDERSTUDY_PEER: 'b',
        });
      } catch (error) {
        return (error as ConfigError).message;
      }
      return '';
    })();
    expect(message.split('\n').map((line) => line.trim().split(' ')[0])).toEqual([
      'wrong',
      'UNDERSTUDY_PEER',
      'UNDERSTUDY_NODE_ID',
      'UNDERSTUDY_PEERS',
      'UNDERSTUDY_PASS_TTL_S',
      'UNDERSTUDY_TLS_KEY_FILE',
      'UNDERSTUDY_CLUSTER_SECRET',
    ]);
  });

  it('name each bad entry of a list by its place', () => {
    expect(faultsOf({ ...peers, UNDERSTUDY_PEERS: 'b,http://b:8082,c' })).toEqual([
      expect.stringContaining('UNDERSTUDY_PEERS entry 1 '),
      expect.stringContaining('UNDERSTUDY_PEERS entry 3 '),
    ]);
  });

  it('include two listeners at one address, but not the same port of two addresses', () => {
    expect(faultsOf({ UNDERSTUDY_PEER_LISTEN: '127.0.0.2:8080' })).toEqual([
      'UNDERSTUDY_PEER_LISTEN must not be the address of UNDERSTUDY_LISTEN',
    ]);
    expect(
      faultsOf({ UNDERSTUDY_LISTEN: '127.0.0.2:8081', UNDERSTUDY_PEER_LISTEN: '127.0.0.3:0' }),
    ).toEqual([]);
  });

  it('have a code and never show a secret', () => {
    const short = 'hunter2-hunter2-hunter2';
    expect(() => load({ UNDERSTUDY_CLUSTER_SECRET: short })).toThrow(
      expect.objectContaining({ code: 'config_invalid' }),
    );
    expect(faultsOf({ UNDERSTUDY_CLUSTER_SECRET: short }).join()).not.toContain(short);
  });
});

describe('the list of variables', () => {
  it('holds for each a default that stands for leaving it out', () => {
    const defaults = Object.fromEntries(
      configVariables.flatMap((variable) =>
        variable.isSet ? [[variable.name, variable.default]] : [],
      ),
    );
    expect(load(defaults)).toEqual(load());
    expect(configVariables.every((variable) => variable.meaning.length > 10)).toBe(true);
  });
});
