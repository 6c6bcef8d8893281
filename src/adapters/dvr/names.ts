import { createHash } from 'node:crypto';
import type { RungName } from '../../agent/archive-ports.ts';
import { type SegmentEnding, segmentEndings } from '../../core/archive/segment-index.ts';

/** Segments lie in one folder per hour of their start, UTC. */
export const hourMs = 3_600_000;
/** File systems take 255 bytes; what is longer ends in a hash. */
const folderLengthMax = 200;

const segmentForm = new RegExp(`^(\\d{1,15})-\\d{1,16}\\.(?:${segmentEndings.join('|')})$`);
const mapForm = /^(\d{1,15})-init-[0-9a-f]{12}\.mp4$/;
const hourForm = /^(\d{4})(\d\d)(\d\d)(\d\d)$/;

/** Name of a folder for any text, such as `sport/hd`: the text, percent-encoded, where it is not too long. */
export function folderName(text: string): string {
  const encoded = encodeURIComponent(text).replace(/^\./, '%2E');
  if (encoded.length <= folderLengthMax) return encoded;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 32);
  return `${encoded.slice(0, folderLengthMax - 40).replace(/%.?$/, '')}~${hash}`;
}

/** The folder of a rung in that of its stream. */
export function folderOfRung({ container, rung }: RungName): string {
  return `${container}.${folderName(rung)}`;
}

/** The rung that {@link folderOfRung} made a folder's name of. */
export function rungOfFolder(folder: string): RungName | undefined {
  const [, container, name] = /^(ts|fmp4)\.(.+)$/.exec(folder) ?? [];
  const rung = folderText(name ?? '');
  if (rung === undefined || rung === '') return undefined;
  return { container: container === 'ts' ? 'ts' : 'fmp4', rung };
}

/** The text that {@link folderName} made `name` of; undefined where a hash hides it. */
function folderText(name: string): string | undefined {
  if (name.includes('~') && name.length > folderLengthMax - 50) return undefined;
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

/** `2026113008`: the hour that begins at `startMs`. */
export function hourName(startMs: number): string {
  return new Date(startMs).toISOString().slice(0, 13).replaceAll(/[-T]/g, '');
}

/** Start of the hour that a folder is named after. */
export function hourOfName(name: string): number | undefined {
  const [, year, month, day, hour] = hourForm.exec(name) ?? [];
  const startMs = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour));
  return year !== undefined && hourName(startMs) === name ? startMs : undefined;
}

export function hourOf(ms: number): number {
  return Math.floor(ms / hourMs) * hourMs;
}

export function segmentName(segment: {
  readonly startMs: number;
  readonly number: number;
  readonly ending: SegmentEnding;
}): string {
  return `${decimal(segment.startMs)}-${segment.number}.${segment.ending}`;
}

/** Digits that instants of a quarter of an hour have in common, written last. */
let leading = { value: -1, text: '' };

/** The digits of a whole number: in halves that fit 31 bits, as others cost many times as much to write. */
function decimal(whole: number): string {
  const value = Math.floor(whole / 1_000_000);
  if (value < 1) return String(whole | 0);
  if (value !== leading.value) leading = { value, text: String(value) };
  const rest = (whole - value * 1_000_000) | 0;
  return leading.text + String(rest).padStart(6, '0');
}

/** An initialisation segment lies in each hour that needs it, so that it goes when the hour goes. */
export function mapName(hourStartMs: number, map: number): string {
  return `${hourStartMs}-init-${map.toString(16).padStart(12, '0')}.mp4`;
}

/** The hour in whose folder a file lies; undefined for what is no name of a recorded file. */
export function hourOfFile(name: string): number | undefined {
  const startText = segmentForm.exec(name)?.[1] ?? mapForm.exec(name)?.[1];
  return startText === undefined ? undefined : hourOf(Number(startText));
}

/** See `IndexedSegment.map`. */
export function mapOf(init: Uint8Array): number {
  return createHash('sha256').update(init).digest().readUIntBE(0, 6);
}
