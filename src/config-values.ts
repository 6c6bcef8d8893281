import ipaddr from 'ipaddr.js';
import { validate as isCron, parse as parseCron } from 'node-cron';
import { z } from 'zod';
import type { ListenAddress } from './core/config.ts';

const valueLengthMax = 8192;
const listEntriesMax = 64;

/** Reads a text; calls `fault` for each thing wrong with it, in words that do not repeat the text: it may be a secret. */
type Read<T> = (value: string, fault: (message: string) => never) => T;

/** A schema that turns a text into a value or into the faults that `read` finds. */
function text<T>(read: Read<T>): z.ZodType<T, string> {
  return z
    .string()
    .max(valueLengthMax, `must have at most ${valueLengthMax} characters`)
    .transform((value, context) =>
      read(value, (message) => {
        context.issues.push({ code: 'custom', message, input: value });
        return z.NEVER;
      }),
    );
}

/** A text taken as it stands. `must` completes the sentence "the variable must ...". */
export function matching(isFine: (value: string) => boolean, must: string) {
  return text((value, fault) => (isFine(value) ? value : fault(`must ${must}`)));
}

/** One of a few words. */
export function oneOf<T extends string>(...words: readonly T[]) {
  return text(
    (value, fault) => words.find((word) => word === value) ?? fault(`must be ${words.join(', ')}`),
  );
}

/** A whole number, bounds included. */
export function wholeNumber(min: number, max: number) {
  return text((value, fault) => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    return number >= min && number <= max
      ? number
      : fault(`must be a whole number from ${min} to ${max}`);
  });
}

/** A number above 0, fractions allowed. */
export function positiveNumber(max: number) {
  return text((value, fault) => {
    const number = /^\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value) : Number.NaN;
    return number > 0 && number <= max
      ? number
      : fault(`must be a number above 0 and at most ${max}`);
  });
}

/** Entries separated by commas, each kept once. `read` gives nothing for an entry that is not `what`. */
export function listOf(read: (entry: string) => string | undefined, what: string) {
  return text((value, fault): readonly string[] => {
    const entries = value === '' ? [] : value.split(',').map((entry) => entry.trim());
    if (entries.length > listEntriesMax)
      return fault(`must have at most ${listEntriesMax} entries`);
    return [
      ...new Set(
        entries.map((entry, at) => read(entry) ?? fault(`entry ${at + 1} must be ${what}`)),
      ),
    ];
  });
}

/** `host:port`, with an IPv6 address in brackets. */
export function listenAddress() {
  return text((value, fault): ListenAddress => {
    const parts = /^(?:\[([0-9a-f:.]*:[0-9a-f:.]*)\]|([a-z0-9.-]+)):(\d{1,5})$/i.exec(value);
    const host = parts?.[1] ?? parts?.[2] ?? '';
    const port = Number(parts?.[3]);
    return isHost(host) && port <= 65_535
      ? { host: host.toLowerCase(), port }
      : fault('must be "host:port" or "[IPv6 address]:port"');
  });
}

function isHost(host: string): boolean {
  if (host.includes(':')) return ipaddr.IPv6.isValid(host);
  if (/^[\d.]+$/.test(host)) return ipaddr.IPv4.isValidFourPartDecimal(host);
  return /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(host);
}

/** Scheme, host and port of an http(s) URL that has nothing else; without a slash at the end. */
export function baseUrlOf(value: string): string | undefined {
  return /^https?:\/\/[^/?#@\\\s]+\/?$/i.test(value) && URL.canParse(value)
    ? new URL(value).origin
    : undefined;
}

/** {@link baseUrlOf} as a schema. */
export function baseUrl() {
  return text(
    (value, fault) =>
      baseUrlOf(value) ?? fault('must be http(s)://host[:port] without path, query or user name'),
  );
}

/** An http(s) URL of any form; user name and password, where it has them, can be decoded. */
export function webUrlOf(value: string): string | undefined {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return undefined;
  const { username, password } = new URL(value);
  return isDecodable(username) && isDecodable(password) ? value : undefined;
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** {@link webUrlOf} as a schema. */
export function webUrl() {
  return text((value, fault) => webUrlOf(value) ?? fault('must be an http(s) URL'));
}

/** A CIDR range; a plain address becomes the range of that one address. */
export function cidrOf(value: string): string | undefined {
  if (ipaddr.isValidCIDR(value)) return value;
  if (!ipaddr.IPv4.isValidFourPartDecimal(value) && !ipaddr.IPv6.isValid(value)) return undefined;
  return `${value}/${value.includes(':') ? 128 : 32}`;
}

/** A cron expression that fires at most once an hour: each firing costs the domain one viewing key. */
export function hourlyCron() {
  return matching(
    (value) =>
      value.split(/\s+/).length === 5 && isCron(value) && parseCron(value).minute.length === 1,
    'be a cron expression of five fields with one fixed minute',
  );
}
