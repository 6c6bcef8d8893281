import { z } from '@hono/zod-openapi';
import { streamSettingFields } from './stream-schema.ts';

/** Unix time, ms. */
export const instant = z
  .int()
  .openapi({ description: 'Unix time, ms', example: 1_790_000_000_000 });
const offsetMs = z.int().openapi({ description: 'its wall clock minus ours, ms' });
const reason = z.string().openapi({ description: 'reason code', example: 'frozen' });

const airState = z
  .object({ onAir: z.boolean(), reason: reason.optional() })
  .openapi('AirState', { description: 'on air, or off air with the reason' });

export const streamView = z
  .object({
    name: z.string(),
    ...streamSettingFields,
    reserve: z.boolean(),
    definedIn: z.enum(['file', 'api']),
    air: z.object({ hls: airState.optional(), dash: airState.optional() }),
    timeline: z
      .object({
        state: z.enum(['anew', 'left']),
        reason: reason.optional(),
        replaced: z.int().optional(),
        dropped: z.int().optional(),
        lately: z.int().optional(),
      })
      .optional()
      .openapi({
        description:
          'written anew, or left as its packager makes it; segments taken from other members, left out, and both within a minute',
      }),
  })
  .openapi('Stream');

const resource = z.object({
  state: z
    .enum(['measured', 'unknown'])
    .openapi({ description: 'unknown: the system does not say' }),
  percent: z.int().optional(),
  limitPercent: z.int().optional(),
});

const load = z.object({
  cpu: resource,
  network: resource,
  overloaded: z.boolean().openapi({ description: 'refuses viewers of other nodes' }),
  atBackupLimit: z.boolean(),
  backupSessionsMax: z.int().optional(),
  weight: z.number(),
});

const keyState = z.enum(['in-force', 'spreading', 'missing']).openapi({
  description: 'the newest key signs; it waits for peers; there is none to share',
});

const addresses = z.array(z.string()).readonly();

export const nodeView = z
  .object({
    id: z.string(),
    version: z.string(),
    protocol: z.int(),
    startedAt: instant,
    publicUrl: z.string().optional(),
    addresses,
    draining: z.boolean(),
    load,
    clock: z.object({
      at: instant,
      wrongNodes: z
        .array(z.string())
        .readonly()
        .openapi({ description: 'nodes whose clock is more than 240 s from the median' }),
    }),
    registry: z.object({ kind: z.literal('peers'), peers: z.int(), reachable: z.int() }),
    key: z.object({ state: keyState, signing: z.string().optional() }),
    counts: z.object({
      streams: z.int(),
      onAir: z.int(),
      ownSessions: z.int(),
      backupSessions: z.int(),
    }),
  })
  .openapi('Node');

const peerView = z
  .object({
    url: z.string(),
    id: z.string().optional(),
    reachability: z.enum(['reachable', 'unreachable', 'unknown']),
    lastSeenAt: instant.optional(),
    fault: z.string().optional(),
    version: z.string().optional(),
    protocol: z.int().optional(),
    publicUrl: z.string().optional(),
    addresses: addresses.optional(),
    draining: z.boolean().optional(),
    hears: z.array(z.string()).readonly().optional().openapi({
      description: 'ids of the nodes that it hears; absent: an older version',
    }),
    clockOffsetMs: offsetMs.optional(),
    roundTripMs: z.int().optional(),
    load: load.optional(),
    ownSessions: z.int().optional(),
    backupSessions: z.int().optional(),
    streams: z.int(),
  })
  .openapi('Peer');

export const peersView = z.object({
  peers: z.array(peerView).readonly(),
  strangers: z
    .array(z.object({ id: z.string(), lastAskedAt: instant }))
    .readonly()
    .openapi({ description: 'nodes of the domain that ask this one and are not among its peers' }),
});

const containerSummary = z.object({
  startAt: instant,
  endAt: instant,
  gaps: z.int(),
  recordedMs: z.int(),
});

const archiveSummary = z
  .object({
    depthMs: z.int(),
    ts: containerSummary.optional(),
    fmp4: containerSummary.optional(),
  })
  .openapi('Archive', { description: 'what the node has recorded, per container' });

export const groupView = z
  .object({
    name: z.string(),
    state: z.enum(['reserve', 'degraded', 'none']),
    problems: z
      .array(z.object({ code: z.string(), text: z.string(), node: z.string().optional() }))
      .readonly(),
    members: z
      .array(
        z.object({
          node: z.string(),
          stream: z.string(),
          eligible: z.boolean(),
          reasons: z.array(reason).readonly(),
          onAir: z.boolean(),
          source: z.enum(['proved', 'different', 'unknown', 'declared']).openapi({
            description: 'how it is known that its source is ours',
          }),
          sourceLabel: z.string().optional(),
          ptsDifference: z.int().optional().openapi({
            description: 'its time stamps minus ours for one picture, ticks of 90 kHz',
          }),
          clockOffsetMs: offsetMs.optional(),
          archive: archiveSummary.optional(),
        }),
      )
      .readonly(),
  })
  .openapi('Group');

export const keyView = z
  .object({
    state: keyState,
    keys: z
      .array(
        z.object({
          id: z.string(),
          generation: z.int(),
          createdAt: instant,
          supersededAt: instant.optional(),
          signs: z.boolean(),
          lackedBy: z
            .array(z.string())
            .readonly()
            .openapi({ description: 'reachable peers that do not hold the key yet' }),
        }),
      )
      .readonly(),
  })
  .openapi('ViewingKeys', { description: 'newest first; ids only, never a key' });

const sessionView = z
  .object({
    id: z.string(),
    stream: z.string(),
    kind: z.enum(['own', 'backup']),
    home: z.string(),
    login: z.string().optional(),
    family: z.string(),
    backups: z.array(z.string()).readonly(),
    startedAt: instant,
    lastSeenAt: instant,
    bytes: z.int().openapi({
      description: 'known to have been sent: playlists, and segments over connections of its own',
    }),
  })
  .openapi('Session');

export const sessionsView = z.object({
  total: z.int(),
  sessions: z.array(sessionView).readonly(),
  nextCursor: z.string().optional(),
});

/** Which sessions, and how many of them. */
export const sessionsQuery = z.strictObject({
  cursor: z
    .string()
    .regex(/^\d{1,7}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  stream: z.string().max(200).optional(),
  kind: z.enum(['own', 'backup']).optional(),
  home: z.string().max(63).optional(),
});

export const problemView = z
  .object({
    title: z.string(),
    status: z.int(),
    code: z.string().openapi({ example: 'not_found' }),
    detail: z.string(),
    faults: z.array(z.string()).optional(),
  })
  .openapi('Problem');
