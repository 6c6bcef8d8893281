import { pino } from 'pino';
import type { Log } from '../../agent/ports.ts';
import type { Config } from '../../core/config.ts';

/** Lines that wait for a slow reader of standard output, bytes together; further ones are dropped, nothing ever waits. */
const waitingBytesMax = 4 * 1024 * 1024;

/** Where lines go; `process.stdout` and files fit. */
type Sink = { write(line: string): void };

/**
 * Belt and braces: no field should hold a pass, but whatever looks like one, or like a bearer token, is struck out of
 * the finished line. A JWT begins with `{"`, which is `eyJ` in base64url.
 */
const secretShapes: readonly (readonly [RegExp, string])[] = [
  [/(?<=\b|%3F|%26)pass(=|%3D)[^&\s"'\\]+/gi, 'pass$1[struck]'],
  [/\beyJ[\w-]{4,}\.[\w-]*\.?[\w-]*/g, '[struck]'],
  [/\bBearer [\w.~+/=-]+/gi, 'Bearer [struck]'],
];

/**
 * A log of JSON lines, on standard output unless a sink is given: `at` (Unix ms), `level`, `node`, `event`, then the
 * fields. What waits for a slow reader when the process exits is still written.
 */
export function createLog(options: {
  readonly level: Config['logLevel'];
  readonly node: string;
  readonly sink?: Sink;
}): Log {
  const logger = pino(
    {
      level: options.level,
      base: { node: options.node },
      messageKey: 'event',
      errorKey: 'cause',
      timestamp: () => `,"at":${Date.now()}`,
      formatters: { level: (level) => ({ level }) },
      hooks: { streamWrite: strike },
    },
    options.sink ?? pino.destination({ fd: 1, sync: false, maxLength: waitingBytesMax }),
  );
  return {
    debug: (event, fields) => logger.debug(fields ?? {}, event),
    info: (event, fields) => logger.info(fields ?? {}, event),
    warn: (event, fields) => logger.warn(fields ?? {}, event),
    error: (event, fields) => logger.error(fields ?? {}, event),
  };
}

function strike(line: string): string {
  return secretShapes.reduce((text, [shape, instead]) => text.replaceAll(shape, instead), line);
}
