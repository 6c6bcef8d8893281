import { listedPeriods } from '../../core/archive/listed-periods.ts';
import type { TimeRange } from '../../core/archive/ranges.ts';
import { passGroup } from '../../core/pass/claims.ts';
import type { Candidate } from '../../core/placement/candidates.ts';
import type { Now } from '../../core/time.ts';
import type { ArchiveBlock } from '../archive-ports.ts';
import type { Passes } from '../passes.ts';
import { namePath, passClaims, type ViewingDeps } from '../viewing-parts.ts';
import { archivePrefix } from './archive-deps.ts';
import type { PeerSegments } from './peer-segments.ts';

/** Life of a pass with which a node asks for a list, seconds: the question takes one. */
const listPassTtlS = 60;

/** What other nodes are asked for their segments with. */
export type PeerListDeps = Pick<ViewingDeps, 'self' | 'keys' | 'newId'> & {
  readonly passes: Pick<Passes, 'issue'>;
  readonly peerSegments: Pick<PeerSegments, 'list'>;
};

/** A member, its address as this node or a viewer reaches it, and the viewer path of its rung. */
export type ListedRung = {
  readonly member: Pick<Candidate, 'node' | 'stream'>;
  readonly base: string;
  readonly rung: string;
};

/** Where the recorded segments of a rung are; ends with `/`. */
export function recordedFolder({ member, base, rung }: ListedRung): string {
  return `${base}${namePath(member.stream.name)}/${archivePrefix}${rung}/`;
}

/**
 * Asks a member for its segments in `span`, showing a pass of this node's own; without one where no key signs for others
 * yet. Undefined when any of it does not come in time.
 */
export async function askSegments(
  deps: PeerListDeps,
  of: ListedRung,
  span: TimeRange,
  now: Now,
): Promise<readonly ArchiveBlock[] | undefined> {
  const folder = recordedFolder(of);
  let issued: string | undefined;
  const pass = () => {
    issued ??= issuePass(deps, of, now);
    return issued;
  };
  const lists = await Promise.all(
    listedPeriods(span, now.wallMs).map((period) =>
      deps.peerSegments.list({ base: of.base, folder, period, pass }, now),
    ),
  );
  const blocks = lists.flatMap((list) => (list === undefined ? [] : [list]));
  return blocks.length === lists.length ? blocks : undefined;
}

/** Good at the member only, and for no viewer's session. */
function issuePass(
  { self, keys, passes, newId }: PeerListDeps,
  { member }: ListedRung,
  now: Now,
): string | undefined {
  const key = keys.signing();
  if (key === undefined) return undefined;
  const claims = passClaims({
    home: self().id,
    nodes: [member.node.id],
    session: newId(),
    group: passGroup(member.stream),
    hops: [],
    ttlS: listPassTtlS,
    now,
  });
  return passes.issue(claims, key);
}
