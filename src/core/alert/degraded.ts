import type { GroupReport } from '../group/group-report.ts';
import type { KeyState } from '../pass/key-ring.ts';
import { type ReasonCode, reasonTexts } from '../reasons.ts';
import type { SeenFault } from './holds.ts';

type Problem = GroupReport['problems'][number];

/** What two members have against each other: it need not be the other one who is wrong. */
const mutual: ReadonlySet<ReasonCode> = new Set([
  'source-undeclared',
  'source-differs',
  'source-unproved',
  'source-ambiguous',
  'timeline-differs',
  'container-differs',
  'low-latency-differs',
  'rungs-differ',
]);

/** Alert 78: a group has a problem or nobody can stand in; one fault for each node that has to be mended. */
export function groupFaults(selfId: string, report: GroupReport): readonly SeenFault[] {
  const { name: group, state } = report;
  // The key is told of once, not for every group.
  const problems = report.problems.filter(({ code }) => code !== 'key-not-in-force');
  const hasKey = problems.length === report.problems.length;
  if (problems.length === 0 && (state !== 'none' || !hasKey)) return [];
  const alone = `nobody can stand in for ${selfId} in group ${group}`;
  if (problems.length === 0)
    return [{ code: 78, group, node: selfId, cause: 'no-eligible-backup', text: alone }];
  const subjects = problems.map((problem) => subjectOf(problem, report, selfId));
  return [...new Set(subjects)].map((node) => {
    const theirs = problems.filter((_, at) => subjects[at] === node);
    const texts = [
      ...new Set(theirs.map(({ text }) => text)),
      ...(state === 'none' ? [alone] : []),
    ];
    const cause = theirs[0]?.code ?? 'reason-unknown';
    return { code: 78, group, node, cause, text: `group ${group}: ${texts.join('; ')}` };
  });
}

/**
 * Who has to mend it. An observer who hears nobody, or who differs from every other member in the same way, doubts
 * itself first.
 */
function subjectOf({ code, node }: Problem, { problems, members }: GroupReport, selfId: string) {
  if (node === undefined || code === 'reachability-unknown') return selfId;
  if (!mutual.has(code)) return node;
  const others = members.filter((member) => member.node !== selfId).length;
  const alike = problems.filter((problem) => problem.code === code).length;
  return others > 1 && alike === others ? selfId : node;
}

/** Alert 78: the viewing key is not in force. `lackedBy`: reachable nodes that do not hold the newest one. */
export function keyFaults(
  selfId: string,
  { state, lackedBy }: { readonly state: KeyState; readonly lackedBy: readonly string[] },
): readonly SeenFault[] {
  if (state === 'in-force') return [];
  const nodes = state === 'spreading' && lackedBy.length > 0 ? lackedBy : [selfId];
  return nodes.map((node) => ({
    code: 78,
    node,
    cause: 'key-not-in-force',
    text: `${node}: ${reasonTexts['key-not-in-force']}${
      state === 'spreading' ? ': the newest one is not held by all reachable nodes' : ''
    }`,
  }));
}
