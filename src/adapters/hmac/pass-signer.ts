import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
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
const signatureForm = /^[\w-]{42}[AEIMQUYcgkosw048]$/;

/** All that a header may have: whatever else would change what the signature means. */
const headerMembers: ReadonlySet<string> = new Set(['alg', 'typ', 'kid']);

/** Headers of our own that are known by their text; keys are changed seldom. */
const headsMax = 64;

/**
 * Signs and verifies passes with the HMAC of Node (ADR 22; jose is the referee of the
 * tests). `verify` checks, in this order: length, form, algorithm, type, key, signature, claims; the first that fails is
 * the reason. It never throws for what a viewer sends.
 */
export function createPassSigner(): PassSigner {
  // By secret, so that copies of a key share one import; entries go with the keys of the ring.
  const imported = new WeakMap<Uint8Array, KeyObject>();
  /** Key ids by the text of a header as it is written here. */
  const kids = new Map<string, string>();
  /** One key signs for hours. */
  let lastHead = { id: '', text: headOf('') };

  function importOnce({ secret }: ViewingKey): KeyObject {
    let key = imported.get(secret);
    if (key === undefined) {
      key = createSecretKey(secret);
      imported.set(secret, key);
    }
    return key;
  }

  function signatureOf(input: string, key: ViewingKey): string {
    return createHmac('sha256', importOnce(key)).update(input).digest('base64url');
  }

  function kidOf(head: string): string | { readonly reason: ReasonCode } {
    const known = kids.get(head);
    if (known !== undefined) return known;
    const kid = readHeader(head);
    if (typeof kid === 'string' && head === headOf(kid)) {
      if (kids.size >= headsMax) kids.clear();
      kids.set(head, kid);
    }
    return kid;
  }

  return {
    sign(claims: PassClaims, key: ViewingKey): string {
      if (lastHead.id !== key.id) lastHead = { id: key.id, text: headOf(key.id) };
      const input = `${lastHead.text}.${base64url(JSON.stringify(claims))}`;
      return `${input}.${signatureOf(input, key)}`;
    },

    verify(pass, keyOf): PassVerdict {
      if (pass.length > passLengthMax) return { kind: 'refused', reason: 'pass-too-long' };
      if (!compactForm.test(pass)) return { kind: 'refused', reason: 'pass-malformed' };
      const [head = '', payload = '', signature = ''] = pass.split('.');
      const kid = kidOf(head);
      if (typeof kid !== 'string') return { kind: 'refused', reason: kid.reason };
      const key = keyOf(kid);
      if (key === undefined) return { kind: 'refused', reason: 'pass-unknown-key' };
      const isSigned =
        signatureForm.test(signature) &&
        timingSafeEqual(
          Buffer.from(signature, 'latin1'),
          Buffer.from(signatureOf(`${head}.${payload}`, key), 'latin1'),
        );
      if (!isSigned) return { kind: 'refused', reason: 'pass-signature' };
      const claims = readClaims(parseJson(Buffer.from(payload, 'base64url')));
      if (claims === undefined) return { kind: 'refused', reason: 'pass-claims' };
      return { kind: 'signed', claims };
    },
  };
}

function headOf(kid: string): string {
  return base64url(JSON.stringify({ alg: algorithm, typ: passType, kid }));
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function readHeader(head: string): string | { readonly reason: ReasonCode } {
  let header: Readonly<Record<string, unknown>>;
  try {
    header = decodeProtectedHeader({ protected: head });
  } catch {
    return { reason: 'pass-malformed' };
  }
  if (header.alg !== algorithm) return { reason: 'pass-algorithm' };
  if (header.typ !== passType) return { reason: 'pass-type' };
  const { kid } = header;
  if (typeof kid !== 'string' || Object.keys(header).some((name) => !headerMembers.has(name))) {
    return { reason: 'pass-malformed' };
  }
  return kid;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}
