import { type PassClaims, passLengthMax } from '../core/pass/claims.ts';
import type { PassSigner, PassVerdict, ViewingKey } from './ports.ts';

/** Verified passes remembered per generation: two generations, so up to twice as many. */
const cachedMax = 20_000;

/**
 * Issues and verifies passes. A verified pass is remembered by its text, so that a player's reloads cost no signature
 * check; a refused one never is, so that forged ones push nothing out. Whether a pass is good here and now is another
 * question: see `checkPass`.
 */
export class Passes {
  readonly #signer: PassSigner;
  readonly #keyOf: (id: string) => ViewingKey | undefined;
  #recent = new Map<string, PassVerdict>();
  #older = new Map<string, PassVerdict>();

  constructor(deps: { signer: PassSigner; keyOf: (id: string) => ViewingKey | undefined }) {
    this.#signer = deps.signer;
    this.#keyOf = deps.keyOf;
  }

  /** Signs a pass. */
  issue(claims: PassClaims, key: ViewingKey): string {
    return this.#signer.sign(claims, key);
  }

  /** The claims of a pass whose signature is right; else why not. */
  verify(pass: string): PassVerdict {
    if (pass.length > passLengthMax) return { kind: 'refused', reason: 'pass-too-long' };
    return this.#remembered(pass) ?? this.#verifyAnew(pass);
  }

  /** Passes remembered; at most twice the named limit. */
  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  #remembered(pass: string): PassVerdict | undefined {
    const recent = this.#recent.get(pass);
    if (recent !== undefined) return recent;
    const older = this.#older.get(pass);
    if (older !== undefined) this.#remember(pass, older);
    return older;
  }

  #verifyAnew(pass: string): PassVerdict {
    const found = this.#signer.verify(pass, this.#keyOf);
    if (found.kind === 'signed') this.#remember(pass, found);
    return found;
  }

  #remember(pass: string, verdict: PassVerdict): void {
    if (this.#recent.size >= cachedMax) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#older.delete(pass);
    this.#recent.set(pass, verdict);
  }
}
