import { z } from 'zod';
import {
  type ArchiveFacts,
  isPackedRanges,
  packedLengthMax,
} from '../../core/archive/archive-facts.ts';
import type { Ladder, Rendition, Variant } from '../../core/playlist/ladder.ts';
import { type ReasonCode, reasonTexts } from '../../core/reasons.ts';
import type { HlsFacts, StreamFacts } from '../../core/stream/stream.ts';

/** One rule for every field of `T`: a field added there is a compile error here until it travels. */
export type Shape<T> = { readonly [Field in keyof Required<T>]: z.ZodType<T[Field]> };

/** Names and ids. */
export const short = z.string().max(256);
export const text = z.string().max(2_048);
export const count = z.number().int().nonnegative();

/** A code that only a newer version knows is still a reason not to be on air. */
const reason = z
  .string()
  .transform(
    (code): ReasonCode =>
      Object.hasOwn(reasonTexts, code) ? (code as ReasonCode) : 'reason-unknown',
  );

const air = z.union([
  z.object({ onAir: z.literal(true) }),
  z.object({ onAir: z.literal(false), reason }),
]);

const variant = z.object({
  uri: text,
  bandwidth: z.number(),
  codecs: text.optional(),
  resolution: short.optional(),
  audio: text.optional(),
  subtitles: text.optional(),
  video: text.optional(),
} satisfies Shape<Variant>);

const rendition = z.object({
  type: z.enum(['AUDIO', 'SUBTITLES', 'VIDEO']),
  groupId: text,
  name: text,
  language: short.optional(),
  uri: text.optional(),
} satisfies Shape<Rendition>);

const ladder = z.object({
  variants: z.array(variant).max(200),
  renditions: z.array(rendition).max(400),
} satisfies Shape<Ladder>);

const hls = z.object({
  air,
  lastMovedAt: z.number().optional(),
  // What is not understood counts as not known, and is not used.
  container: z.enum(['ts', 'fmp4']).optional().catch(undefined),
  lowLatency: z.boolean(),
  timeline: z
    .union([z.object({ state: z.literal('anew') }), z.object({ state: z.literal('left'), reason })])
    .optional()
    .catch(undefined),
  ladder: ladder.optional().catch(undefined),
} satisfies Shape<HlsFacts>);

const packed = z.array(z.number()).max(packedLengthMax).refine(isPackedRanges);

const archive = z.object({
  depthMs: count,
  hls: z.boolean(),
  dash: z.boolean(),
  lists: z.boolean(),
  ts: packed.optional(),
  fmp4: packed.optional(),
} satisfies Shape<ArchiveFacts>);

/** What a node says of one of its streams. */
export const streamFacts = z.object({
  name: short,
  group: short.optional(),
  reserve: z.boolean(),
  source: short.optional(),
  hls: hls.optional(),
  dash: z.object({ air }).optional(),
  // What cannot be read counts as nothing recorded.
  archive: archive.optional().catch(undefined),
} satisfies Shape<StreamFacts>);
