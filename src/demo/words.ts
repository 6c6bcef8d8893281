import { type DemoNode, demoStream } from './demo-node.ts';
import type { GroupView } from './group-view.ts';

export const demoHelp = `usage: understudy demo
       understudy demo --test-channel HOST:PORT

Starts three nodes of one group on this machine, with a built-in test channel, and a page that plays
from them. Ctrl-C stops everything. With --test-channel it only serves the test channel at HOST:PORT,
as an origin to try a node with.`;

/** What there is to look at, once the group is in reserve. */
export function describeDemo(options: {
  readonly nodes: readonly DemoNode[];
  readonly adminToken: string;
  readonly pageUrl: string;
}): string {
  const { nodes, adminToken, pageUrl } = options;
  const [first, second] = nodes;
  const entry = `${first?.publicUrl}/${demoStream}/index.m3u8`;
  const report = `${second?.adminUrl}/api/v1/groups/${demoStream}`;
  return `
Three nodes of one group play the same channel, and each is ready to take over from the others.

  player page   ${pageUrl}
                watch it, then press "kill" on the node that plays

  consoles      ${nodes.map(({ id, adminUrl }) => `${id} ${adminUrl}/`).join('   ')}
                each shows what its node sees; sign in with the admin token

  APIs          ${nodes.map(({ id, adminUrl }) => `${id} ${adminUrl}`).join('   ')}
  admin token   ${adminToken}

Or by hand:

  the playlist with its backups        curl -s ${entry}
  what the group thinks of itself      curl -s -H 'Authorization: Bearer ${adminToken}' ${report}
  pull the plug of ${first?.id}              curl -X POST ${pageUrl}/kill/${first?.id}
  open the channel at the dead node's
  neighbour                            curl -s ${second?.publicUrl}/${demoStream}/index.m3u8
  start it again                       curl -X POST ${pageUrl}/start/${first?.id}

Logs: ${nodes.map(({ logPath }) => logPath).join(' ')}
Ctrl-C stops everything and removes what it wrote.
`;
}

/** Why the group is not in reserve, by each node's own account. */
export function describeProblems(
  nodes: readonly DemoNode[],
  groups: readonly (GroupView | undefined)[],
): string {
  const lines = nodes.flatMap(({ id, logPath }, index) => {
    const group = groups[index];
    if (group === undefined) return [`${id} does not answer, see ${logPath}`];
    return group.problems.map(({ code, text }) => `${id} sees ${code}: ${text}`);
  });
  return ['The group is not in reserve after 30 s:', ...lines, 'Ctrl-C stops everything.'].join(
    '\n  ',
  );
}
