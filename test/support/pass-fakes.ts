import type { KeyStore, KeyWrap, Log, ViewingKey } from '../../src/agent/ports.ts';
import type { PassClaims } from '../../src/core/pass/claims.ts';
import { testNow } from './builders.ts';

const testNowS = testNow.wallMs / 1000;

/** A pass of node-a for node-a, node-b and node-c, issued at `testNow` for an hour. */
export function someClaims(claims: Partial<PassClaims> = {}): PassClaims {
  return {
    iss: 'node-a',
    aud: ['node-a', 'node-b', 'node-c'],
    sub: 'Zm9vYmFyYmF6cXV4MTIzNA',
    grp: 'ch1',
    iat: testNowS,
    nbf: testNowS,
    exp: testNowS + 3600,
    hop: [],
    ...claims,
  };
}

/** A viewing key whose secret is made from its id. */
export function aKey(key: Partial<ViewingKey> = {}): ViewingKey {
  const id = key.id ?? '1-test-key';
  return {
    id,
    generation: Number(id.split('-')[0]),
    createdAt: testNow.wallMs,
    secret: Uint8Array.from({ length: 32 }, (_, index) => id.charCodeAt(index % id.length) + index),
    ...key,
  };
}

/** A key store in memory; while `fails` is set, every call throws. */
export function memoryKeyStore(
  keys: readonly ViewingKey[] = [],
): KeyStore & { kept: readonly ViewingKey[]; fails: boolean; writes: number } {
  return {
    kept: keys,
    fails: false,
    writes: 0,
    list() {
      if (this.fails) throw new Error('store_failed');
      return this.kept;
    },
    replace(next) {
      if (this.fails) throw new Error('store_failed');
      this.writes += 1;
      this.kept = next;
    },
  };
}

/** Wraps keys readably under the name of a domain. */
export function plainWrap(domain = 'domain'): KeyWrap {
  return {
    wrap: async (keys) =>
      JSON.stringify({
        domain,
        keys: keys.map(({ supersededAt: _, secret, ...key }) => ({ ...key, secret: [...secret] })),
      }),
    unwrap: async (text) => {
      const wrapped = JSON.parse(text) as { domain: string; keys: ViewingKey[] };
      if (wrapped.domain !== domain) return undefined;
      return wrapped.keys.map((key) => ({ ...key, secret: Uint8Array.from(key.secret) }));
    },
  };
}

/** A log that keeps events and fields. */
export function recordingLog(): Log & { lines: { event: string; fields?: object | undefined }[] } {
  const lines: { event: string; fields?: object | undefined }[] = [];
  const note = (event: string, fields?: object) => {
    lines.push({ event, fields });
  };
  return { lines, debug: note, info: note, warn: note, error: note };
}
