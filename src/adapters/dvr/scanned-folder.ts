import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type {
  ArchiveBlock,
  ArchivedRung,
  OpenScannedFolder,
  RungName,
  ScannedFolder,
} from '../../agent/archive-ports.ts';
import { type FileSegment, segmentsOfFiles } from '../../core/archive/file-segments.ts';
import { compileNameTimes } from '../../core/archive/name-times.ts';
import type { TimeRange } from '../../core/archive/ranges.ts';
import type { ArchivedSegment } from '../../core/archive/segment-list.ts';
import type { Container } from '../../core/stream/stream.ts';
import { filesByName, filesOfPlaylist, type KnownFiles } from './folder-files.ts';
import { hourMs, hourOf } from './names.ts';

/** A segment that starts in an hour ends less than this after it. */
const overhangMsMax = 3_600_000;
/** Longest name that other nodes take; a segment with a longer one is recorded, but cannot be given away. */
const nameLengthMax = 200;

type Settings = Parameters<OpenScannedFolder>[0];

/** Segments that somebody else writes into a folder; known as of the last scan. */
export const openScannedFolder: OpenScannedFolder = (settings) => new FolderOfSegments(settings);

class FolderOfSegments implements ScannedFolder {
  readonly folder: string;
  readonly #settings: Settings;
  readonly #files: KnownFiles = new Map();
  #known = new Map<string, FileSegment>();
  #blocks = new Map<Container, ReadonlyMap<number, ArchiveBlock>>();

  constructor(settings: Settings) {
    this.folder = settings.path;
    this.#settings = settings;
  }

  rungs(): readonly ArchivedRung[] {
    return [...this.#blocks.keys()].map((container) => ({
      stream: this.#settings.stream,
      container,
      rung: '',
    }));
  }

  entry(): undefined {
    return undefined;
  }

  async list({ container }: RungName, period: TimeRange): Promise<readonly ArchiveBlock[]> {
    return [...(this.#blocks.get(container) ?? [])]
      .filter(([hour]) => hour < period.endMs && hour + hourMs + overhangMsMax > period.startMs)
      .map(([, block]) => block)
      .filter((block) => {
        const last = block.at(-1);
        return last !== undefined && last.startMs + last.durationMs > period.startMs;
      });
  }

  urlOf(_rung: RungName, name: string): string | undefined {
    const path = pathOfName(name);
    const isSafe = path?.split('/').every((part) => part !== '' && part !== '..' && part !== '.');
    return path !== undefined && isSafe ? pathToFileURL(join(this.folder, path)).href : undefined;
  }

  async scan(nowMs: number, fromMs: number): ReturnType<ScannedFolder['scan']> {
    try {
      const files = await this.#find(nowMs);
      const segments = segmentsOfFiles(
        files.filter(({ startMs }) => startMs >= fromMs),
        this.#known,
      );
      this.#known = new Map(segments.map((segment) => [segment.path, segment]));
      return { kind: 'recorded', ...this.#take(segments) };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      return {
        kind: 'fault',
        cause: String(code ?? (error instanceof Error ? error.message : error)),
      };
    }
  }

  #find(nowMs: number) {
    const { times, pattern } = this.#settings;
    if (times === 'program-date-time') return filesOfPlaylist(this.folder);
    const timeOf = times === 'names' ? compileNameTimes(pattern ?? '') : undefined;
    if (times === 'names' && timeOf === undefined)
      throw new Error('the pattern of the names has no time in it');
    return filesByName(this.folder, { timeOf, known: this.#files, nowMs });
  }

  /** Hours in which nothing changed keep their block; `segments` are in the order of time, and so are the hours. */
  #take(segments: readonly FileSegment[]) {
    const hours = new Map<Container, Map<number, ArchivedSegment[]>>();
    const ranges: { container: Container; range: TimeRange }[] = [];
    for (const segment of segments) {
      const container = segment.path.endsWith('.m4s') ? 'fmp4' : 'ts';
      const { startMs, durationMs } = segment;
      ranges.push({ container, range: { startMs, endMs: startMs + durationMs } });
      const ofContainer = hours.get(container) ?? new Map<number, ArchivedSegment[]>();
      hours.set(container, ofContainer);
      const hour = hourOf(startMs);
      const block = ofContainer.get(hour) ?? [];
      ofContainer.set(hour, block);
      const listed = archived(segment);
      if (listed.name.length <= nameLengthMax) block.push(listed);
    }
    const blocks = new Map<Container, ReadonlyMap<number, ArchiveBlock>>();
    for (const [container, ofContainer] of hours) {
      const before = this.#blocks.get(container);
      const kept = [...ofContainer].map(
        ([hour, block]) => [hour, sameOr(before?.get(hour), block)] as const,
      );
      blocks.set(container, new Map(kept));
    }
    this.#blocks = blocks;
    return { ranges };
  }
}

function sameOr(before: ArchiveBlock | undefined, now: ArchiveBlock): ArchiveBlock {
  const isSame =
    before?.length === now.length &&
    now.every(
      ({ name, durationMs }, at) =>
        before[at]?.name === name && before[at]?.durationMs === durationMs,
    );
  return isSame ? before : Object.freeze(now);
}

function archived({
  path,
  map,
  startMs,
  durationMs,
  bytes,
  run,
  number,
}: FileSegment): ArchivedSegment {
  const facts = { name: nameOfPath(path), startMs, durationMs, bytes, run, number };
  return map === undefined ? facts : { ...facts, map: nameOfPath(map) };
}

/** One URL-safe segment of a path, with the file's own ending. */
function nameOfPath(path: string): string {
  const ending = /\.[A-Za-z0-9]+$/.exec(path)?.[0] ?? '';
  return `${Buffer.from(path).toString('base64url')}${ending.toLowerCase()}`;
}

function pathOfName(name: string): string | undefined {
  const [, encoded] = /^([A-Za-z0-9_-]{1,1500})\.(?:ts|m4s|aac|vtt|mp4)$/.exec(name) ?? [];
  const path = encoded === undefined ? undefined : Buffer.from(encoded, 'base64url').toString();
  return path !== undefined && nameOfPath(path) === name && !path.includes('\0') ? path : undefined;
}
