import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Header that carries the seal of a body, on questions and answers. */
export const sealHeader = 'understudy-seal';

/** Proves that a body comes unaltered from a node that holds the cluster secret. */
export type Seals = {
  sealQuestion(body: Uint8Array): string;
  isQuestion(body: Uint8Array, seal: string | undefined): boolean;
  /** Binds the answer to the question with this nonce (22 characters). */
  sealAnswer(body: Uint8Array, nonce: string): string;
  isAnswer(body: Uint8Array, nonce: string, seal: string | undefined): boolean;
};

/**
 * HMAC-SHA256 over the exact bytes on the wire, base64url. Questions and answers have keys of their own, derived by
 * HKDF-SHA256 (RFC 5869) from the cluster secret, so that neither can be taken for the other; nor for anything else the
 * secret is used for.
 */
export function createSeals(clusterSecret: string): Seals {
  const questionKey = deriveKey(clusterSecret, 'understudy peer question');
  const answerKey = deriveKey(clusterSecret, 'understudy peer answer');
  const sealQuestion = (body: Uint8Array) =>
    createHmac('sha256', questionKey).update(body).digest('base64url');
  const sealAnswer = (body: Uint8Array, nonce: string) =>
    createHmac('sha256', answerKey).update(nonce).update(body).digest('base64url');
  return {
    sealQuestion,
    isQuestion: (body, seal) => isEqual(seal, sealQuestion(body)),
    sealAnswer,
    isAnswer: (body, nonce, seal) => isEqual(seal, sealAnswer(body, nonce)),
  };
}

function deriveKey(clusterSecret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', clusterSecret, '', purpose, 32));
}

/** In constant time for seals of the right length. */
function isEqual(seal: string | undefined, expected: string): boolean {
  if (seal?.length !== expected.length) return false;
  const given = Buffer.from(seal);
  return given.length === expected.length && timingSafeEqual(given, Buffer.from(expected));
}
