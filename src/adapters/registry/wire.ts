import { z } from 'zod';
import type { PeerAnswer, PeerQuestion, PeerRefusal } from '../../core/group/exchange.ts';
import { type NodeFacts, type NodeLoad, peerProtocolVersion } from '../../core/group/node.ts';
import { insteadOfMax, type Notes, notesMax, type Slot } from '../../core/group/notes.ts';
import { type Found, soughtMax } from '../../core/group/sought.ts';
import { type Assigned, assignedMax } from '../../core/load/assigned.ts';
import type { CompareAnswer } from '../../core/timeline/compare.ts';
import { count, type Shape, short, streamFacts, text } from './stream-wire.ts';

/** Path of the exchange below a peer's base URL. */
export const exchangePath = '/understudy/v1/exchange';

/** Largest question, bytes. */
export const questionBytesMax = 4 * 1024;

/** Largest answer on the wire, bytes. */
export const answerBytesMax = 4 * 1024 * 1024;

/** Largest answer once unpacked, bytes. */
export const answerTextBytesMax = 16 * 1024 * 1024;

/** A question as it travels: the answer is sealed together with the nonce. */
export type SentQuestion = { readonly question: PeerQuestion; readonly nonce: string };

const nonce = z.string().regex(/^[\w-]{22}$/);

const question = z.object({
  protocol: z.literal(peerProtocolVersion),
  from: short,
  boot: short,
  seq: count,
  to: short.optional(),
  since: count,
  wantKeys: z.boolean(),
  news: count.optional(),
  notesSince: count.optional(),
  sought: z.array(short).max(soughtMax).optional().catch(undefined),
} satisfies Shape<PeerQuestion>);

const sentQuestion = question.extend({ nonce });

/** What every protocol version says in a question, whatever else it says. */
const foreignQuestion = z.object({ protocol: z.number().int(), nonce, from: short });

const assigned = z.object({
  first: short,
  second: short.optional(),
  sessions: count,
} satisfies Shape<Assigned>);

const load = z.object({
  cpuPercent: z.number().nonnegative().optional(),
  networkPercent: z.number().nonnegative().optional(),
  cpuLimitPercent: z.number(),
  networkLimitPercent: z.number(),
  networkMbps: z.number().positive().optional(),
  viewerCpuPercent: z.number().nonnegative().optional(),
} satisfies Shape<NodeLoad>);

const node = z.object({
  id: short,
  protocol: z.literal(peerProtocolVersion),
  version: short,
  publicUrl: text.optional(),
  addresses: z.array(short).max(256),
  draining: z.boolean(),
  overloaded: z.boolean(),
  atBackupLimit: z.boolean(),
  load: load.optional().catch(undefined),
  backupSessionsMax: count.optional().catch(undefined),
  weight: z.number().nonnegative(),
  ownSessions: count,
  backupSessions: count,
  watching: count.optional().catch(undefined),
  assigned: z.array(assigned).max(assignedMax).optional().catch(undefined),
  hears: z.array(short).max(256).optional().catch(undefined),
  keys: z.array(short).max(256),
  signingKey: short.optional(),
  passTtlS: z.number().nonnegative(),
} satisfies Shape<NodeFacts>);

const slot = z.object({
  session: short,
  login: short,
  viewer: short,
  insteadOf: z.array(short).max(insteadOfMax).optional(),
} satisfies Shape<Slot>);

const notes = z.object({
  version: count,
  full: z.boolean(),
  more: z.boolean(),
  ended: z.array(z.object({ id: short, untilS: count })).max(notesMax),
  taken: z.array(slot).max(notesMax),
  freed: z.array(short).max(notesMax),
} satisfies Shape<Notes>);

const answer = z.object({
  kind: z.literal('answer'),
  protocol: z.literal(peerProtocolVersion),
  boot: short,
  at: z.number(),
  version: count,
  facts: node.optional(),
  full: z.boolean(),
  more: z.boolean(),
  streams: z.array(streamFacts).max(1_000),
  removed: z.array(short).max(2_000),
  notes: notes.optional().catch(undefined),
  found: z
    .array(z.object({ session: short, sinceMs: z.number().nonnegative() } satisfies Shape<Found>))
    .max(soughtMax)
    .optional()
    .catch(undefined),
  keys: z.string().max(65_536).optional(),
} satisfies Shape<PeerAnswer>);

export const refusal = z.object({
  kind: z.literal('refusal'),
  reason: z.enum(['protocol', 'boot', 'replayed', 'superseded', 'same-id']),
  protocol: z.literal(peerProtocolVersion),
  id: short,
  boot: short,
  version: short,
} satisfies Shape<PeerRefusal>);

const anyReply = z.object({ protocol: z.number().int() });

/** What can be told of a reply of another protocol version: as much as it says in the fields that never change. */
const foreignReply = z
  .object({
    protocol: z.number().int(),
    id: short.catch('unknown'),
    boot: short.catch(''),
    version: short.catch('unknown'),
  })
  .transform((reply): PeerRefusal => ({ kind: 'refusal', reason: 'protocol', ...reply }));

const reply = z.discriminatedUnion('kind', [answer, refusal]);

export function encodeQuestion({ question, nonce }: SentQuestion): Buffer {
  return Buffer.from(JSON.stringify({ ...question, nonce }));
}

/**
 * Reads an authentic question; nothing if it cannot be read. Of another protocol version only that and the asker are
 * read. Unknown fields are ignored.
 */
export function decodeQuestion(body: Uint8Array): SentQuestion | undefined {
  const value = parseJson(body);
  const known = sentQuestion.safeParse(value);
  if (known.success) {
    const { nonce, ...question } = known.data;
    return { nonce, question };
  }
  const any = foreignQuestion.safeParse(value).data;
  if (any === undefined || any.protocol === peerProtocolVersion) return undefined;
  const { nonce, protocol, from } = any;
  return { nonce, question: { protocol, from, boot: '', seq: 0, since: 0, wantKeys: false } };
}

export function encodeReply(reply: PeerAnswer | PeerRefusal | CompareAnswer): Buffer {
  return Buffer.from(JSON.stringify(reply));
}

/** Reads an authentic reply; nothing if it cannot be read. Unknown fields are ignored. */
export function decodeReply(body: Uint8Array): PeerAnswer | PeerRefusal | undefined {
  const value = parseJson(body);
  const { protocol = peerProtocolVersion } = anyReply.safeParse(value).data ?? {};
  return (protocol === peerProtocolVersion ? reply : foreignReply).safeParse(value).data;
}

export function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString());
  } catch {
    return undefined;
  }
}
