import { z } from '@hono/zod-openapi';
import { archiveApiKinds, archiveUrlForms } from '../../core/archive/archive-config.ts';

const hoursMax = 24 * 366 * 5;
const hours = z
  .number('must be a number of hours')
  .positive('must be more than 0')
  .max(hoursMax, `must be at most ${hoursMax}`);

const absolutePath = z
  .string('must be a text')
  .regex(/^\/[^\0]{0,1000}$/, 'must be an absolute path');

const httpUrl = z
  .string('must be a text')
  .max(1000, 'must have at most 1000 characters')
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
    'must be an http(s) URL',
  );

const sources = ['window', 'directory', 'api', 'push', 'record'] as const;

/** What an operator says of a stream's archive (`docs/archive.md`). */
export const archiveSettings = z
  .strictObject({
    window: z
      .strictObject({ retention_h: hours })
      .optional()
      .openapi({ description: 'the media server keeps what the live window shows, for so long' }),
    directory: z
      .strictObject({
        path: absolutePath,
        times: z.enum(['names', 'program-date-time', 'file-times']),
        pattern: z.string('must be a text').min(1).max(200).optional(),
      })
      .refine(
        ({ times, pattern }) => times !== 'names' || pattern !== undefined,
        'must have a pattern where the times are in the names',
      )
      .optional()
      .openapi({ description: 'segments in a folder' }),
    api: z
      .strictObject({ kind: z.enum(archiveApiKinds), url: httpUrl })
      .optional()
      .openapi({ description: 'the media server is asked what it has' }),
    push: z
      .literal(true, 'must be true or left out')
      .optional()
      .openapi({ description: 'a recorder tells, by PUT of the coverage' }),
    record: z
      .strictObject({
        depth_h: hours,
        path: absolutePath.optional(),
        budget_mb: z.number('must be a number').positive('must be more than 0').optional(),
      })
      .optional()
      .openapi({ description: 'the agent records by itself' }),
    url: z
      .string('must be a text')
      .max(500, 'must have at most 500 characters')
      .refine(
        (text) => archiveUrlForms.some((form) => form === text) || /^[^\s#]*\{[^\s#]*$/.test(text),
        `must be one of ${archiveUrlForms.join(', ')} or a pattern with placeholders`,
      )
      .optional()
      .openapi({
        description: "the media server's own archive addresses: a known form or a pattern",
        example: 'flussonic',
      }),
    depth_h: hours.optional().openapi({ description: 'how far back anything may be asked for' }),
    refill: z.boolean('must be true or false').optional().openapi({
      description: 'whether holes are filled from members that record the same segments',
    }),
  })
  .refine((archive) => sources.filter((source) => archive[source] !== undefined).length <= 1, {
    error: `must have only one of ${sources.join(', ')}`,
  })
  .openapi('ArchiveSettings', { description: 'what is recorded here and how it is asked for' });
