import { type ReasonCode, reasonTexts } from '../reasons.ts';
import type { MonoMs } from '../time.ts';
import type { SeenFault } from './holds.ts';

/** The last time this node refused a viewer of another node. */
export type Refusal = { readonly at: MonoMs; readonly reason: ReasonCode };

/** Alert 79: this node refuses viewers of other nodes. */
export function overloadFaults(selfId: string, last: Refusal | undefined): readonly SeenFault[] {
  if (last === undefined) return [];
  const text = `${selfId} refuses viewers of other nodes: ${reasonTexts[last.reason]}`;
  return [{ code: 79, node: selfId, cause: last.reason, text, seenAt: last.at }];
}
