import type { components } from '../api-types.ts';
import { useSpeech } from '../words/words.ts';

type Recorded = components['schemas']['Recorded'];
type Row = { readonly node: string; readonly ts: Recorded; readonly fmp4: Recorded };

/** What each node has recorded on one axis of time, gaps left open. */
export function ArchivePicture({ rows }: { readonly rows: readonly Row[] }) {
  const { words, time, duration } = useSpeech();
  const lanes = rows.flatMap(({ node, ts, fmp4 }) =>
    [
      { node, container: 'TS', recorded: ts },
      { node, container: 'fMP4', recorded: fmp4 },
    ].filter(({ recorded }) => recorded.ranges.length > 0),
  );
  const all = lanes.flatMap(({ recorded }) => recorded.ranges);
  const startAt = Math.min(...all.map((range) => range.startAt));
  const endAt = Math.max(...all.map((range) => range.endAt));
  const share = (at: number) => ((at - startAt) / Math.max(1, endAt - startAt)) * 1000;
  return (
    <div class="lanes">
      {lanes.map(({ node, container, recorded }) => (
        <div key={`${node} ${container}`} class="lane">
          <span class="mono">
            {node} <span class="quiet">{container}</span>
          </span>
          <svg
            viewBox="0 0 1000 14"
            preserveAspectRatio="none"
            role="img"
            aria-label={words.archiveText(
              node,
              duration(recorded.recordedMs),
              recorded.gaps.length,
            )}
          >
            {recorded.ranges.map((range) => (
              <rect
                key={range.startAt}
                x={share(range.startAt)}
                width={Math.max(1, share(range.endAt) - share(range.startAt))}
                y="0"
                height="14"
              />
            ))}
          </svg>
          <span class="quiet">
            {words.archiveText(node, duration(recorded.recordedMs), recorded.gaps.length)}
          </span>
        </div>
      ))}
      <p class="axis quiet">
        <span>{time(startAt)}</span>
        <span>{time(endAt)}</span>
      </p>
    </div>
  );
}
