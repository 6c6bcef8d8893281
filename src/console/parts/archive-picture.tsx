import type { components } from '../api-types.ts';
import { useSpeech } from '../words/words.ts';

type Recorded = components['schemas']['Recorded'];
type Row = {
  readonly node: string;
  readonly depthMs: number;
  readonly ts: Recorded;
  readonly fmp4: Recorded;
};

/** What each node has recorded on one axis of time, gaps left open, and how far back it keeps it. */
export function ArchivePicture({ rows }: { readonly rows: readonly Row[] }) {
  const { words, time, duration } = useSpeech();
  const lanes = rows.flatMap(({ node, depthMs, ts, fmp4 }) =>
    [
      { node, depthMs, container: 'TS', recorded: ts },
      { node, depthMs, container: 'fMP4', recorded: fmp4 },
    ].filter(({ recorded }) => recorded.ranges.length > 0),
  );
  const all = lanes.flatMap(({ recorded }) => recorded.ranges);
  const startAt = Math.min(...all.map((range) => range.startAt));
  const endAt = Math.max(...all.map((range) => range.endAt));
  const share = (at: number) => ((at - startAt) / Math.max(1, endAt - startAt)) * 1000;
  const text = ({ node, depthMs, recorded }: (typeof lanes)[number]) =>
    words.archiveText({
      node,
      recorded: duration(recorded.recordedMs),
      gaps: recorded.gaps.length,
      depth: duration(depthMs),
    });
  return (
    <div class="lanes">
      {lanes.map((lane) => (
        <div key={`${lane.node} ${lane.container}`} class="lane">
          <span class="mono">
            {lane.node} <span class="quiet">{lane.container}</span>
          </span>
          <svg viewBox="0 0 1000 14" preserveAspectRatio="none" role="img" aria-label={text(lane)}>
            {lane.recorded.ranges.map((range) => (
              <rect
                key={range.startAt}
                x={share(range.startAt)}
                width={Math.max(1, share(range.endAt) - share(range.startAt))}
                y="0"
                height="14"
              />
            ))}
          </svg>
          <span class="quiet">{text(lane)}</span>
        </div>
      ))}
      <p class="axis quiet">
        <span>{time(startAt)}</span>
        <span>{time(endAt)}</span>
      </p>
    </div>
  );
}
