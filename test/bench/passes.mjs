import { createHmac } from 'node:crypto';

/** Of the yardsticks: the key of the measured nodes is nobody's to know. */
export const secret = 'a secret of 32 bytes, for yardstick';

const nowS = Math.floor(Date.now() / 1000);
/** As in a pass of a node; who it is for, and the session, are added. */
export const someClaims = {
  ...{ iss: 'a', grp: 'live', iat: nowS, nbf: nowS, exp: nowS + 43_200, hop: [] },
};

/** A pass of the same form and length as a node's. */
export function aPass() {
  const head = base64url({ alg: 'HS256', typ: 'pass+jwt', kid: '1-abcdefghijklmnopqrstuv' });
  const payload = base64url({ ...someClaims, aud: ['a', 'b', 'c'], sub: 'x'.repeat(22) });
  const input = `${head}.${payload}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

function base64url(value) {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
