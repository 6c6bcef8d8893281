import { CompactSign, type CryptoKey, compactVerify, decodeProtectedHeader } from 'jose';
import type { PassSigner, PassVerdict, ViewingKey } from '../../agent/ports.ts';
import { type PassClaims, passLengthMax } from '../../core/pass/claims.ts';
import { readClaims } from '../../core/pass/read-claims.ts';
import type { ReasonCode } from '../../core/reasons.ts';

/** The one algorithm (RFC 7518 3.2); whatever a pass says of itself, no other is tried. */
const algorithm = 'HS256';

/** `typ` of a pass (RFC 8725 3.11): no other token signed with the key can stand in for one. */
const passType = 'pass+jwt';

/** Three parts of base64url; the last is empty under `alg: none`. */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** 32 bytes in their one canonical spelling: else the last character could be changed without being noticed. */
const signatureForm = /\.[\w-]{42}[AEIMQUYcgkosw048]$/;

/** All that a header may have: whatever else would change what the signature means. */
const headerMembers: ReadonlySet<string> = new Set(['alg', 'typ', 'kid']);

/**
 * Signs and verifies passes with jose. `verify` checks, in this order: length, form, algorithm, type, key, signature,
 * claims; the first that fails is the reason. It never throws for what a viewer sends.
 */
export function createPassSigner(): PassSigner {
  // By secret, so that copies of a key share one import; entries go with the keys of the ring.
  const imported = new WeakMap<Uint8Array, Promise<CryptoKey>>();

  function importOnce({ secret }: ViewingKey): Promise<CryptoKey> {
    let key = imported.get(secret);
    if (key === undefined) {
      key = importKey(secret);
      imported.set(secret, key);
    }
    return key;
  }

  return {
    async sign(claims: PassClaims, key: ViewingKey): Promise<string> {
      return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
        .setProtectedHeader({ alg: algorithm, typ: passType, kid: key.id })
        .sign(await importOnce(key));
    },

    async verify(pass, keyOf): Promise<PassVerdict> {
      const header = readHeader(pass);
      if ('reason' in header) return { kind: 'refused', reason: header.reason };
      const key = keyOf(header.kid);
      if (key === undefined) return { kind: 'refused', reason: 'pass-unknown-key' };
      const payload = await readSigned(pass, await importOnce(key));
      if (payload === undefined) return { kind: 'refused', reason: 'pass-signature' };
      const claims = readClaims(parseJson(payload));
      if (claims === undefined) return { kind: 'refused', reason: 'pass-claims' };
      return { kind: 'signed', claims };
    },
  };
}

function importKey(secret: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey(
    'raw',
    Uint8Array.from(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign', 'verify'],
  );
}

function readHeader(pass: string): { readonly kid: string } | { readonly reason: ReasonCode } {
  if (pass.length > passLengthMax) return { reason: 'pass-too-long' };
  if (!compactForm.test(pass)) return { reason: 'pass-malformed' };
  let header: Readonly<Record<string, unknown>>;
  try {
    header = decodeProtectedHeader(pass);
  } catch {
    return { reason: 'pass-malformed' };
  }
  if (header.alg !== algorithm) return { reason: 'pass-algorithm' };
  if (header.typ !== passType) return { reason: 'pass-type' };
  const { kid } = header;
  if (typeof kid !== 'string' || Object.keys(header).some((name) => !headerMembers.has(name))) {
    return { reason: 'pass-malformed' };
  }
  return { kid };
}

async function readSigned(pass: string, key: CryptoKey): Promise<Uint8Array | undefined> {
  if (!signatureForm.test(pass)) return undefined;
  try {
    const { payload } = await compactVerify(pass, key, { algorithms: [algorithm] });
    return payload;
  } catch {
    return undefined;
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
