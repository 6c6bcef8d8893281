import type { IncomingHttpHeaders } from 'node:http';
import type { Repeat } from '../../agent/worker-ports.ts';

/**
 * What a worker and the main process say to each other beside a viewer's request and its answer. Only workers reach the socket at which
 * these are read; what a viewer sends by these names is not passed on.
 */
const addressHeader = 'x-understudy-address';
const encryptedHeader = 'x-understudy-encrypted';
export const repeatHeader = 'x-understudy-repeat';

/** Headers of a viewer that the main process looks at. */
const passedOn = [
  'host',
  'user-agent',
  'x-forwarded-proto',
  'x-forwarded-for',
  'range',
  'authorization',
] as const;

/** The headers of a viewer's request as it is passed on. `host` is that of HTTP/1.1 or 2. */
export function passedOnHeaders(
  headers: IncomingHttpHeaders,
  viewer: {
    readonly host: string;
    readonly address: string | undefined;
    readonly isEncrypted: boolean;
  },
): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {};
  for (const name of passedOn) {
    const value = headers[name];
    if (value !== undefined) passed[name] = value;
  }
  // The port that a scheme has by itself is not told apart from none, as without workers; the hop has another scheme.
  passed.host = viewer.isEncrypted ? viewer.host.replace(/:443$/, '') : viewer.host;
  if (viewer.address !== undefined) passed[addressHeader] = viewer.address;
  if (viewer.isEncrypted) passed[encryptedHeader] = '1';
  return passed;
}

/** The viewer's connection, as the worker that has it says. */
export function socketBehind(header: (name: string) => string | undefined) {
  const remoteAddress = header(addressHeader);
  return header(encryptedHeader) === undefined
    ? { remoteAddress }
    : { remoteAddress, encrypted: true };
}

/** As a header's value. */
export function writeRepeat(repeat: Repeat): string {
  return encodeURIComponent(JSON.stringify(repeat));
}

/** @param value of a header that {@link writeRepeat} made */
export function readRepeat(value: string): Repeat {
  return JSON.parse(decodeURIComponent(value));
}
