import { hkdfSync } from 'node:crypto';
import { base64url, CompactEncrypt, compactDecrypt } from 'jose';
import type { KeyWrap, ViewingKey } from '../../agent/ports.ts';

/** Longest wrapped text that is looked at, characters; a full ring takes about 2,600. */
const wrappedLengthMax = 16_384;

/** Most keys taken from one text: what a ring holds. */
const keysMax = 16;

const secretLength = 32;

/** Purpose of the derived key: the same secret also authenticates peers, with a key of its own. */
const purpose = 'understudy viewing keys v1';

/** `typ` of the wrapped text. */
const wrapType = 'viewing-keys+jwe';

const idForm = /^([1-9]\d{0,8})-[\w-]{1,64}$/;

/**
 * Wraps viewing keys for peers as compact JWE (RFC 7516): `dir` with A256GCM, the key derived by HKDF-SHA256
 * (RFC 5869) from the cluster secret. Both ends name the algorithms; compressed text is refused.
 */
export function createKeyWrap(clusterSecret: string): KeyWrap {
  const wrappingKey = new Uint8Array(hkdfSync('sha256', clusterSecret, '', purpose, 32));

  return {
    wrap(keys): Promise<string> {
      const listed = keys.map(({ id, createdAt, secret }) => ({
        id,
        createdAt,
        secret: base64url.encode(secret),
      }));
      return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(listed)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: wrapType })
        .encrypt(wrappingKey);
    },

    async unwrap(text): Promise<readonly ViewingKey[] | undefined> {
      if (text.length > wrappedLengthMax) return undefined;
      try {
        if (!text.split('.').every(isCanonical)) return undefined;
        const { plaintext, protectedHeader } = await compactDecrypt(text, wrappingKey, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          maxDecompressedLength: 0,
        });
        if (protectedHeader.typ !== wrapType) return undefined;
        return readKeys(JSON.parse(new TextDecoder().decode(plaintext)));
      } catch {
        return undefined;
      }
    },
  };
}

/** Whether a part is spelled in the one way in which it is written: decoders forgive more. */
function isCanonical(part: string): boolean {
  return base64url.encode(base64url.decode(part)) === part;
}

function readKeys(listed: unknown): readonly ViewingKey[] | undefined {
  if (!Array.isArray(listed) || listed.length > keysMax) return undefined;
  const keys = listed.map(readKey);
  return keys.every((key) => key !== undefined) ? keys : undefined;
}

function readKey(value: unknown): ViewingKey | undefined {
  const { id, createdAt, secret } = Object(value) as Record<string, unknown>;
  if (typeof id !== 'string' || typeof secret !== 'string') return undefined;
  const generation = Number(idForm.exec(id)?.[1]);
  if (!Number.isSafeInteger(createdAt) || !Number.isSafeInteger(generation)) return undefined;
  const bytes = base64url.decode(secret);
  if (bytes.length !== secretLength) return undefined;
  return { id, generation, createdAt: createdAt as number, secret: bytes };
}
