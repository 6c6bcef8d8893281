import { passGroup } from '../../core/pass/claims.ts';
import type { StreamConfig } from '../../core/stream/stream.ts';
import type { StreamTimeline } from './stream-timeline.ts';
import type { Timelines } from './timelines.ts';

/** A stream of a group is written anew, unless the operator wants it left alone; a feed always. */
export function openTimeline(
  timelines: Timelines,
  stream: StreamConfig,
  isFeed: boolean,
): StreamTimeline | undefined {
  const { name, source } = stream;
  const canonical = isFeed || (stream.canonical ?? true);
  const group = stream.group ?? (isFeed ? passGroup(stream) : undefined);
  if (group === undefined) return undefined;
  const timeline = timelines.open({ name, group, declared: source !== undefined, isFeed });
  if (!canonical) timeline.leaveAlone('left-as-is');
  return timeline;
}
