import { ConfigError } from '../core/errors.ts';
import type { StreamConfig } from '../core/stream/stream.ts';
import type { Log } from './ports.ts';
import type { StreamCatalogue } from './stream-catalogue.ts';

/** Reads the streams file. @throws config_invalid */
export type ReadStreams = () => readonly StreamConfig[];

/** Takes the streams file in again, as SIGHUP asks for. A file with faults changes nothing: each fault is logged. */
export function reloadStreams(deps: {
  readonly read: ReadStreams;
  readonly catalogue: StreamCatalogue;
  readonly log: Log;
}): void {
  try {
    const streams = deps.read();
    deps.catalogue.replaceFile(streams);
    deps.log.info('streams file read', { streams: streams.length });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    deps.log.error('streams file refused, the old streams stay', { faults: error.faults });
  }
}
