import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readSync } from 'node:fs';
import { parse } from 'yaml';
import { ConfigError } from '../../core/errors.ts';
import type { StreamConfig } from '../../core/stream/stream.ts';

/** Largest file that is read, bytes. */
const fileBytesMax = 1024 * 1024;
/** Most streams of one file. */
const streamsMax = 1000;
/** Most anchors a YAML file may refer to: a few lines with nested ones would grow without bound. */
const aliasesMax = 100;

/** Judges one entry by the rules the API has for a stream. */
type ParseStream = (value: unknown) => StreamConfig | { readonly faults: readonly string[] };

/**
 * The streams of a YAML or JSON file: a list of what the API takes, each with its `name`. Read at once, not in the
 * background: it is asked for at start and on SIGHUP only.
 * @throws config_invalid with every fault at once, each with the place in the list (from 1), the name and the field
 */
export function readStreamsFile(path: string, parseStream: ParseStream): readonly StreamConfig[] {
  const fail = (...faults: readonly string[]) => new ConfigError(`streams file "${path}"`, faults);
  const entries = parseList(readText(path, fail), fail);
  const streams: StreamConfig[] = [];
  const faults: string[] = [];
  const firstPlaces = new Map<string, number>();
  for (const [at, entry] of entries.entries()) {
    const place = placeOf(entry, at);
    const stream = parseStream(entry);
    if ('faults' in stream) {
      faults.push(...stream.faults.map((fault) => `${place}: ${fault}`));
      continue;
    }
    const first = firstPlaces.get(stream.name);
    if (first !== undefined) faults.push(`${place}: name is that of stream ${first + 1}, too`);
    firstPlaces.set(stream.name, first ?? at);
    streams.push(stream);
  }
  if (faults.length > 0) throw fail(...faults);
  return streams;
}

type Fail = (...faults: readonly string[]) => ConfigError;

function readText(path: string, fail: Fail): string {
  const buffer = Buffer.alloc(fileBytesMax + 1);
  let length: number;
  try {
    const file = openSync(path, 'r');
    try {
      length = readSync(file, buffer);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw fail(`cannot be read: ${error instanceof Error && 'code' in error ? error.code : error}`);
  }
  if (length > fileBytesMax) throw fail(`is larger than ${fileBytesMax} bytes`);
  const bytes = buffer.subarray(0, length);
  if (!isUtf8(bytes)) throw fail('is not UTF-8');
  return bytes.toString();
}

function parseList(text: string, fail: Fail): readonly unknown[] {
  const list = parseYaml(text, fail);
  // An empty file is more often one half written than the wish to drop every stream.
  if (!Array.isArray(list)) throw fail('must be a list of streams ("[]" for none)');
  if (list.length > streamsMax) throw fail(`must have at most ${streamsMax} streams`);
  return list;
}

/** JSON is YAML, too. The parser's text goes on with an excerpt, which may hold a secret: its first line is enough. */
function parseYaml(text: string, fail: Fail): unknown {
  try {
    return parse(text, { maxAliasCount: aliasesMax, logLevel: 'error' });
  } catch (error) {
    throw fail(`is not YAML or JSON: ${String(error).split(':\n', 1)[0]}`);
  }
}

function placeOf(entry: unknown, at: number): string {
  const name = typeof entry === 'object' && entry !== null && 'name' in entry && entry.name;
  return `stream ${at + 1}${typeof name === 'string' ? ` (${JSON.stringify(name.slice(0, 50))})` : ''}`;
}
