import { z } from 'zod';

/** What the page and the waiting need of a node's group report; the rest of it is left alone. */
const groupView = z.object({
  state: z.enum(['reserve', 'degraded', 'none']),
  problems: z.array(z.object({ code: z.string(), text: z.string() })),
  members: z.array(
    z.object({
      node: z.string(),
      eligible: z.boolean(),
      reasons: z.array(z.string()),
      onAir: z.boolean(),
    }),
  ),
});

export type GroupView = z.infer<typeof groupView>;

const askMsMax = 1000;

/** Asks a node's REST API for its view of a group; undefined when it does not answer with one. */
export async function askGroup(options: {
  readonly adminUrl: string;
  readonly adminToken: string;
  readonly group: string;
}): Promise<GroupView | undefined> {
  try {
    const answer = await fetch(`${options.adminUrl}/api/v1/groups/${options.group}`, {
      headers: { Authorization: `Bearer ${options.adminToken}` },
      signal: AbortSignal.timeout(askMsMax),
    });
    return answer.ok ? groupView.parse(await answer.json()) : undefined;
  } catch {
    return undefined;
  }
}
