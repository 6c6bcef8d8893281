import { checkPass } from '../core/pass/check.ts';
import { passGroup } from '../core/pass/claims.ts';
import type { ReasonCode } from '../core/reasons.ts';
import type { Now } from '../core/time.ts';
import type { LoginSlots } from './login-slots.ts';
import type { Passes } from './passes.ts';
import type { PassVerdict } from './ports.ts';
import type { SessionNotes } from './session-notes.ts';
import type { Sessions } from './sessions.ts';

/** How a viewer came, before anything is decided about it. */
export type Arrival =
  | { readonly kind: 'refused'; readonly reason: ReasonCode }
  | {
      readonly kind: 'own' | 'backup';
      /** Session id from the pass, or made where a viewer was authenticated; absent otherwise. */
      readonly session?: string | undefined;
      /** Whether that session is being watched here already: such a one is never refused. */
      readonly isActive: boolean;
      readonly home: string;
      readonly login?: string | undefined;
      /** Most sessions of that login, where it was asked for just now; absent: any number, or it has its place. */
      readonly sessionsMax?: number | undefined;
      /** Nodes that have sent the viewer on, first to last. */
      readonly hops: readonly string[];
      /** Nodes that the pass is good for; empty without one. */
      readonly nodes: readonly string[];
    };

type ArrivalsDeps = {
  readonly nodeId: string;
  readonly passes: Passes;
  readonly sessions: Sessions;
  readonly notes: Pick<SessionNotes, 'isEnded'>;
  readonly slots: Pick<LoginSlots, 'hasLetGo'>;
};

/** Tells own arrivals from backup arrivals by their pass; without a pass a viewer came here first. */
export class Arrivals {
  readonly #deps: ArrivalsDeps;

  constructor(deps: ArrivalsDeps) {
    this.#deps = deps;
  }

  /**
   * The arrival at `stream` with the `pass` sent, or why that pass is no good here. Where this node answers for another
   * one, passes for that one are good, too.
   */
  of(
    pass: string | undefined,
    stream: { readonly name: string; readonly group?: string | undefined },
    now: Now,
    standsInFor?: string,
  ): Arrival {
    const { nodeId, passes } = this.#deps;
    if (pass === undefined)
      return { kind: 'own', isActive: false, home: nodeId, hops: [], nodes: [] };
    return this.#judge(passes.verify(pass), stream, now, standsInFor);
  }

  #judge(
    verdict: PassVerdict,
    stream: { readonly name: string; readonly group?: string | undefined },
    now: Now,
    standsInFor: string | undefined,
  ): Arrival {
    if (verdict.kind === 'refused') return verdict;
    const { claims } = verdict;
    const { nodeId, sessions, notes, slots } = this.#deps;
    if (notes.isEnded(claims.sub)) return { kind: 'refused', reason: 'session-ended' };
    if (claims.lgn !== undefined && slots.hasLetGo(claims.sub))
      return { kind: 'refused', reason: 'login-limit' };
    const isActive = sessions.isActive(claims.sub, now, stream.name);
    const isForPeer = standsInFor !== undefined && claims.aud.includes(standsInFor);
    const check = checkPass(claims, {
      node: isForPeer ? standsInFor : nodeId,
      group: passGroup(stream),
      now,
      sessionActive: isActive,
    });
    if (check.kind === 'refused') return check;
    return {
      kind: claims.iss === nodeId ? 'own' : 'backup',
      session: claims.sub,
      isActive,
      home: claims.iss,
      login: claims.lgn,
      hops: claims.hop,
      nodes: claims.aud,
    };
  }
}
