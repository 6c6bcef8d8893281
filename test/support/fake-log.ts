import type { Log } from '../../src/agent/ports.ts';

export type LoggedLine = {
  readonly level: keyof Log;
  readonly event: string;
  readonly fields: object;
};

/** A log that keeps its lines. */
export function createFakeLog(): Log & { readonly lines: readonly LoggedLine[] } {
  const lines: LoggedLine[] = [];
  const at = (level: keyof Log) => (event: string, fields?: object) => {
    lines.push({ level, event, fields: fields ?? {} });
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
