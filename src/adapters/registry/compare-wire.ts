import { z } from 'zod';
import { peerProtocolVersion } from '../../core/group/node.ts';
import type {
  CompareAnswer,
  CompareQuestion,
  SegmentCheck,
  SegmentName,
  TimelineWord,
} from '../../core/timeline/compare.ts';
import type { Grid } from '../../core/timeline/grid.ts';
import type { Layout } from '../../core/timeline/layout.ts';
import { type Mark, marksMax } from '../../core/timeline/marks.ts';
import type { RunHead, TimelineRun } from '../../core/timeline/run.ts';
import type { Shape } from './stream-wire.ts';
import { parseJson, refusal } from './wire.ts';

/** Paths below a peer's base URL: comparison of timelines, and bytes of a canonical segment. */
export const comparePath = '/understudy/v1/compare';
export const segmentPath = '/understudy/v1/segment';

/** Largest question, bytes: marks and checksums of all streams that two nodes share. */
export const compareBytesMax = 4 * 1024 * 1024;

/** Largest segment that members give each other, bytes. */
export const segmentBytesMax = 32 * 1024 * 1024;

const short = z.string().max(256);
const count = z.number().int().nonnegative();
const checksum = z.string().regex(/^[\w-]{43}$/);
const rungsMax = 64;
/** Runs in one window: a segment each. */
const listedRunsMax = 200;
/** No packager makes longer segments, ms. */
const packagedMsMax = 600_000;

const mark = z.object({
  hash: z.string().max(32),
  pts: z.number(),
  arrivedAt: z.number(),
} satisfies Shape<Mark>);

const grid = z.object({
  anchor: z.number(),
  period: z.number().positive(),
} satisfies Shape<Grid>);

const layout = z.object({
  video: z.enum(['h264', 'hevc', 'mpeg2']).optional(),
  audio: z
    .array(z.object({ format: z.enum(['aac', 'mpeg', 'ac3', 'eac3']), language: short.optional() }))
    .max(16),
  others: z
    .array(z.object({ streamType: z.number().int(), descriptors: z.string().max(512) }))
    .max(16),
} satisfies Shape<Layout>);

const runHead = {
  sequence: count,
  succeeds: count.optional(),
  foundedAt: z.number(),
  foundedBy: short,
} satisfies Shape<RunHead>;

const run = z.object({
  ...runHead,
  firstNumber: count,
  originTicks: z.number(),
  segmentTicks: z.number().positive(),
  targetDurationS: z.number().positive(),
  layout,
  pictureGrid: grid.optional(),
  soundGrids: z.array(grid).max(16),
} satisfies Shape<TimelineRun>);

const check = z.object({
  rung: count.max(rungsMax),
  number: count,
  run: short,
  startTicks: z.number(),
  durationTicks: z.number(),
  checksum,
  bytes: count,
  damagedUnits: count,
  isIndependent: z.boolean(),
  endsAtKey: z.boolean(),
  isPublished: z.boolean(),
} satisfies Shape<SegmentCheck>);

const word = {
  group: short,
  following: z
    .object({ run: z.object(runHead), offset: z.number(), isOffered: z.boolean() })
    .optional(),
  last: z.object({ sequence: count, number: count }).optional(),
  listed: z.array(short).max(listedRunsMax).optional(),
  packagedMs: z.number().nonnegative().max(packagedMsMax).optional(),
  marks: z.array(mark).max(marksMax).optional(),
  runs: z.array(run).max(rungsMax).optional(),
  checks: z.array(check).max(2_000),
} satisfies Shape<TimelineWord>;

const sentCompare = z.object({
  protocol: z.literal(peerProtocolVersion),
  from: short,
  boot: short,
  seq: count,
  to: short.optional(),
  streams: z.array(z.object({ ...word, wantMarks: z.boolean(), wantRuns: z.boolean() })).max(2_000),
} satisfies Shape<CompareQuestion>);

const answer = z.object({
  kind: z.literal('compared'),
  protocol: z.literal(peerProtocolVersion),
  boot: short,
  streams: z.array(z.object(word)).max(2_000),
} satisfies Shape<CompareAnswer>);

const compared = z.discriminatedUnion('kind', [answer, refusal]);

const segmentName = z.object({
  group: short,
  rung: count.max(rungsMax),
  number: count,
  checksum,
} satisfies Shape<SegmentName>);

const withNonce = z.object({ nonce: z.string().regex(/^[\w-]{22}$/) });

/** A question as it travels: the answer is sealed together with the nonce. */
export function encodeWithNonce(question: CompareQuestion | SegmentName, nonce: string): Buffer {
  return Buffer.from(JSON.stringify({ ...question, nonce }));
}

/** Reads an authentic question; nothing if it cannot be read. */
export function decodeCompare(body: Uint8Array): Sent<CompareQuestion> | undefined {
  return decodeSent(body, sentCompare);
}

export function decodeSegmentName(body: Uint8Array): Sent<SegmentName> | undefined {
  return decodeSent(body, segmentName);
}

/** Reads an authentic answer; nothing if it cannot be read. */
export function decodeCompared(body: Uint8Array) {
  return compared.safeParse(parseJson(body)).data;
}

type Sent<T> = { readonly question: T; readonly nonce: string };

function decodeSent<T>(body: Uint8Array, shape: z.ZodType<T>): Sent<T> | undefined {
  const value = parseJson(body);
  const nonce = withNonce.safeParse(value).data?.nonce;
  const question = shape.safeParse(value).data;
  return nonce === undefined || question === undefined ? undefined : { question, nonce };
}
