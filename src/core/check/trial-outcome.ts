import type { TrialFacts } from './facts.ts';

type Outcome = TrialFacts['outcome'];

/** What a listener answered to an opening. */
export type OpeningAnswer =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** `X-Understudy-Reason`, `X-Understudy-Node`, `Location`. */
      readonly reason?: string | undefined;
      readonly node?: string | undefined;
      readonly location?: string | undefined;
    }
  | { readonly kind: 'silence'; readonly cause: string };

/**
 * Whether a trial has to be followed, and where to, or what has become of it already. Only what a node of the domain
 * says of itself is followed.
 *
 * @param origins of all nodes of the domain (scheme, host and port), each with the id of its node
 */
export function readTrial(
  answer: OpeningAnswer,
  origins: ReadonlyMap<string, string>,
): Outcome | { readonly kind: 'follow'; readonly url: string; readonly to: string } {
  if (answer.kind === 'silence') return { kind: 'untried', why: answer.cause };
  const { status, reason, location } = answer;
  if (status !== 302 || location === undefined) return { kind: 'not-redirected', status, reason };
  if (!URL.canParse(location)) return { kind: 'elsewhere', host: 'an address without a host' };
  const { origin, host } = new URL(location);
  const to = origins.get(origin);
  return to === undefined ? { kind: 'elsewhere', host } : { kind: 'follow', url: location, to };
}

/** What became of a trial that was followed to node `to`. */
export function readFollowed(answer: OpeningAnswer, to: string): Outcome {
  if (answer.kind === 'silence') return { kind: 'refused', to, cause: answer.cause };
  const { status, reason, node } = answer;
  if (status === 200 && node !== undefined) return { kind: 'served', by: node };
  return { kind: 'refused', to, cause: `status ${status}${reason ? `, ${reason}` : ''}` };
}
