import type { ReasonCode } from '../reasons.ts';
import type { Now } from '../time.ts';
import { type PassClaims, passToleranceS } from './claims.ts';

/** Whether a pass lets its viewer in here. */
export type PassCheck =
  | { readonly kind: 'good' }
  | { readonly kind: 'refused'; readonly reason: ReasonCode };

/**
 * Checks the claims of a pass whose signature is right: node, then group, then time.
 *
 * Time counts only while the session is not active here: a playlist is loaded once and watched for hours, so that a
 * session under way is not cut by `exp`. Limits follow RFC 7519 4.1.4 and 4.1.5 with the tolerance added: `nbf` 240 s
 * ahead of our clock is good, any later refused; `exp` 240 s behind is refused, any later good.
 */
export function checkPass(
  claims: PassClaims,
  here: {
    readonly node: string;
    /** Of the stream asked for, see `passGroup`. */
    readonly group: string;
    readonly now: Now;
    readonly sessionActive: boolean;
  },
): PassCheck {
  if (!claims.aud.includes(here.node)) return refused('pass-audience');
  if (claims.grp !== here.group) return refused('pass-group');
  if (here.sessionActive) return { kind: 'good' };
  const nowS = here.now.wallMs / 1000;
  if (claims.nbf > nowS + passToleranceS) return refused('pass-not-yet-valid');
  if (claims.exp <= nowS - passToleranceS) return refused('pass-expired');
  return { kind: 'good' };
}

function refused(reason: ReasonCode): PassCheck {
  return { kind: 'refused', reason };
}
