import type { Container } from '../stream/stream.ts';
import type { UnixMs } from '../time.ts';
import { readInstant, readInstantOrAgo, readSeconds, type Wish } from './period.ts';
import type { Parameters } from './query-parameters.ts';

/** An address below `/{stream}/` as a viewer sent it. */
export type Address = {
  /** Percent-encoded, without query. */
  readonly rest: string;
  /** Without the agent's own parameters. */
  readonly query: string;
  readonly nowMs: UnixMs;
  /** When the oldest recording began; for forms that count from there. */
  readonly firstMs: UnixMs;
};

/** An archive address, its times made absolute once, now. */
export type ArchiveAddress = {
  readonly protocol: 'hls' | 'dash';
  readonly wish: Wish;
  /** Only where the address says it. */
  readonly container?: Container | undefined;
  /** The rest of the query: the player's own. */
  readonly query: string;
};

/** An address with its query taken apart. */
export type ParsedAddress = Address & { readonly parameters: Parameters };

/** A live player whose clock or buffer is a little behind asks for this at most, ms: it is no archive address. */
const liveEdgeMs = 30_000;

/** What `start`, with `end` or `duration` or neither, means. */
export function startWish(start: string, parameters: Parameters, nowMs: UnixMs): Wish {
  const fromMs = readInstantOrAgo(start, nowMs);
  const end = parameters.get('end');
  const duration = parameters.get('duration');
  if (end !== undefined && end !== '' && end !== 'now')
    return { fromMs, until: readInstantOrAgo(end, nowMs) };
  if (duration !== undefined && duration !== 'now')
    return { fromMs, until: fromMs + readSeconds(duration) };
  return { fromMs, until: 'now' };
}

/**
 * `utc` is the start, `lutc` what the player's clock shows: a period that still grows, unless that was long ago. Some
 * players send both on live, too.
 */
export function readShift(
  protocol: 'hls' | 'dash',
  { parameters, nowMs }: Pick<ParsedAddress, 'parameters' | 'nowMs'>,
): ArchiveAddress | undefined {
  const utc = parameters.get('utc');
  if (utc === undefined) return undefined;
  const lutc = parameters.get('lutc');
  const fromMs = readInstant(utc);
  const shownMs = lutc === undefined ? nowMs : readInstant(lutc);
  if (Math.abs(shownMs - fromMs) <= liveEdgeMs && Math.abs(nowMs - shownMs) <= liveEdgeMs)
    return undefined;
  const isNow = shownMs >= nowMs - liveEdgeMs;
  const query = parameters.without('utc', 'lutc');
  return { protocol, wish: { fromMs, until: isNow ? 'now' : shownMs }, query };
}
