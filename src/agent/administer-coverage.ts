import { type ArchiveConfig, archiveDepthMs } from '../core/archive/archive-config.ts';
import { type ContainerView, viewArchive, viewRanges } from '../core/archive/coverage-view.ts';
import type { TimeRange } from '../core/archive/ranges.ts';
import { AgentError } from '../core/errors.ts';
import type { Candidates } from '../core/placement/candidates.ts';
import { type ReasonCode, reasonTexts } from '../core/reasons.ts';
import { type Container, containers, type StreamConfig } from '../core/stream/stream.ts';
import type { Now, UnixMs } from '../core/time.ts';
import { found } from './administer-streams.ts';
import type { Coverages } from './archive/coverages.ts';
import type { Troubles } from './archive/troubles.ts';

type ArchiveView = {
  readonly depthMs: number;
  readonly ts: ContainerView;
  readonly fmp4: ContainerView;
};

/** What is recorded of a stream, here and, as far as this node was told, on the other nodes of its group. */
export type CoverageView = ArchiveView & {
  readonly stream: string;
  /** What is wrong with the recording here. */
  readonly problems: readonly {
    readonly code: ReasonCode;
    readonly text: string;
    readonly cause?: string | undefined;
    readonly sinceAt: UnixMs;
  }[];
  /** By node. */
  readonly members: readonly (ArchiveView & { readonly node: string; readonly stream: string })[];
};

/** Sources that know by themselves what is recorded: nobody else may say so. */
const otherSources = ['window', 'directory', 'api', 'record'] as const;

export type AdministerCoverage = ReturnType<typeof administerCoverage>;

export function administerCoverage(deps: {
  readonly config: (name: string) => StreamConfig | undefined;
  readonly coverages: Coverages;
  readonly troubles: Pick<Troubles, 'of'>;
  readonly candidates: (name: string, now: Now) => Candidates;
}) {
  const configOf = (name: string) => found(deps.config(name), `stream "${name}"`);
  const view = (name: string, now: Now): CoverageView => {
    const { archive } = configOf(name);
    const members = deps
      .candidates(name, now)
      .list.flatMap(({ node, stream }) =>
        stream.archive === undefined
          ? []
          : [{ node: node.id, stream: stream.name, ...viewArchive(stream.archive, now.wallMs) }],
      );
    return {
      stream: name,
      problems: deps.troubles
        .of(name)
        .map(({ reason, ...rest }) => ({ code: reason, text: reasonTexts[reason], ...rest })),
      depthMs: archiveDepthMs(archive ?? {}),
      ts: viewRanges(deps.coverages.ranges(name, 'ts')),
      fmp4: viewRanges(deps.coverages.ranges(name, 'fmp4')),
      members,
    };
  };
  return {
    /** @throws not_found */
    view,

    /**
     * Puts what a recorder tells in place of what it told before, container by container; one that is left out stays.
     * @throws not_found; conflict unless the stream has `archive.push`; store_failed
     */
    put(
      name: string,
      told: { readonly [of in Container]?: readonly TimeRange[] | undefined },
      now: Now,
    ): CoverageView {
      const { archive } = configOf(name);
      if (archive?.push !== true) throw new AgentError('conflict', whyNotPut(name, archive));
      for (const container of containers) {
        const ranges = told[container];
        if (ranges !== undefined) deps.coverages.replace(name, container, ranges);
      }
      return view(name, now);
    },
  };
}

function whyNotPut(name: string, archive: ArchiveConfig | undefined): string {
  const source = otherSources.find((one) => archive?.[one] !== undefined);
  return source === undefined
    ? `the archive of stream "${name}" has no "push"`
    : `coverage of stream "${name}" comes from its archive's "${source}"`;
}
