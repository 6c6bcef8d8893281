import { z } from '@hono/zod-openapi';
import { dashEntryFault, originEntryFault } from '../../core/stream/origin-entry.ts';
import type { StreamConfig } from '../../core/stream/stream.ts';
import { streamNameFault, streamNameLengthMax } from '../../core/stream/stream-name.ts';
import { archiveSettings } from './archive-schema.ts';

/** A colon never occurs: the groups made up for streams outside of any group begin with `stream:`. */
const groupPattern = /^[\p{L}\p{N}][\p{L}\p{N} ._+/-]{0,99}$/u;
const sourcePattern = /^[^\p{Cc}\p{Cs}]{1,100}$/u;

/** A text for which `faultOf` finds no fault. */
function checked(faultOf: (text: string) => string | undefined) {
  return z.string('must be a text').superRefine((text, context) => {
    const message = faultOf(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

/** Name of a stream as it stands in a URL or a file. */
export const streamName = checked(streamNameFault).openapi({
  maxLength: streamNameLengthMax,
  example: 'sport/hd',
});

/** What an operator says of a stream, field by field. */
export const streamSettingFields = {
  origin: checked(originEntryFault).optional().openapi({
    description:
      'HLS entry: http(s) URL, file: URL or absolute path of a playlist or its folder; or a feed of MPEG-TS: udp: URL, or path of a FIFO',
    example: 'http://127.0.0.1:8888/ch1/index.m3u8',
  }),
  dash: checked(dashEntryFault).optional().openapi({
    description: 'MPD: http(s) URL, file: URL or absolute path of an MPD or its folder',
    example: '/srv/dash/ch1/manifest.mpd',
  }),
  group: z
    .string('must be a text')
    .regex(
      groupPattern,
      'must be 1 to 100 letters, digits, blanks or . _ + / -, the first one a letter or digit',
    )
    .optional()
    .openapi({
      description: 'nodes with an equal group carry the same channel',
      pattern: groupPattern.source,
      example: 'ch1',
    }),
  reserve: z
    .boolean('must be true or false')
    .default(true)
    .openapi({ description: 'whether this node offers itself as a backup' }),
  canonical: z.boolean('must be true or false').optional().openapi({
    description: 'false: the stream is left as its packager makes it, also in a group',
  }),
  source: z
    .string('must be a text')
    .regex(sourcePattern, 'must be 1 to 100 characters without control characters')
    .optional()
    .openapi({
      description: 'members with an equal source carry the same pictures',
      pattern: sourcePattern.source,
    }),
  archive: archiveSettings.optional(),
};

const isOffered = (stream: { origin?: string | undefined; dash?: string | undefined }) =>
  stream.origin !== undefined || stream.dash !== undefined;
const notOffered = { path: ['origin'], error: 'must be set where dash is not' };

/** A strict object; fields that are not known, and values that are no objects, get a text of ours. */
function strict<T extends z.core.$ZodLooseShape>(fields: T) {
  return z.strictObject(fields, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `does not know ${issue.keys.map((key) => JSON.stringify(key.slice(0, 50))).join(', ')}`
        : 'must be an object',
  });
}

/** What `PUT /streams/{name}` takes. */
export const streamSettings = strict(streamSettingFields).refine(isOffered, notOffered);

const namedStream = strict({ name: streamName, ...streamSettingFields }).refine(
  isOffered,
  notOffered,
);

/** One entry of the streams file, by the very rules of the API; or its faults, each beginning with the field's name. */
export function parseStream(value: unknown): StreamConfig | { readonly faults: readonly string[] } {
  const result = namedStream.safeParse(value);
  return result.success
    ? result.data
    : { faults: result.error.issues.map(({ path, message }) => [...path, message].join(' ')) };
}
