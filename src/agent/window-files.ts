import type { WindowFile } from '../core/stream/live-window.ts';
import type { MonoMs } from '../core/time.ts';
import { leftKeptMs, type Segments } from './segments.ts';

/** A file of a live window, or one that left it less than a minute ago. */
export type KnownFile = WindowFile & {
  /** Of this file in {@link Segments}; a name that comes again later is another file. */
  readonly id: number;
  readonly leftAt?: MonoMs | undefined;
};

/** What one media playlist names, by viewer path, and where it is at the origin now. */
export class WindowFiles {
  readonly #segments: Segments;
  #files = new Map<string, KnownFile>();

  constructor(segments: Segments) {
    this.#segments = segments;
  }

  get(path: string): KnownFile | undefined {
    return this.#files.get(path);
  }

  /** Takes the present window in. When numbers `beganAgain`, names mean other files than before. */
  update(window: ReadonlyMap<string, WindowFile>, beganAgain: boolean, at: MonoMs): void {
    if (beganAgain) this.clear();
    const files = new Map<string, KnownFile>();
    for (const [path, file] of window) {
      const known = this.#files.get(path);
      const isSame = known !== undefined && known.leftAt === undefined;
      if (known !== undefined && !isSame) this.#segments.forget(known.id);
      files.set(path, { ...file, id: isSame ? known.id : this.#segments.newId() });
    }
    for (const [path, known] of this.#files) {
      if (files.has(path)) continue;
      const leftAt = known.leftAt ?? at;
      if (at - leftAt > leftKeptMs) this.#segments.forget(known.id);
      else files.set(path, { ...known, leftAt });
      this.#segments.leave(known.id, leftAt);
    }
    this.#files = files;
  }

  clear(): void {
    for (const { id } of this.#files.values()) this.#segments.forget(id);
    this.#files.clear();
  }
}
