/** What changed after a version. */
export type Changes<V> = {
  readonly version: number;
  /** Whether what was known before is void. */
  readonly full: boolean;
  /** Whether there is more to be asked for with `version`. */
  readonly more: boolean;
  readonly put: readonly V[];
  /** Keys. */
  readonly removed: readonly string[];
};

/** Removals that are remembered; who knows less is told everything. */
const removedMax = 5_000;

type Change<V> = { readonly version: number; readonly key: string; readonly value: V | undefined };

/**
 * Values by key with a version for every change, so that others can be told only what they do not know. Telling costs
 * what it tells, however much is kept.
 */
export class ChangeLog<V> {
  readonly #latest = new Map<string, Change<V>>();
  /** By version; those that a later one of the same key has replaced are skipped, and swept out now and then. */
  #changes: Change<V>[] = [];
  #version = 0;
  #removed = 0;
  /** Who knows less than this may have missed a removal. */
  #completeSince = 0;

  get size(): number {
    return this.#latest.size - this.#removed;
  }

  has(key: string): boolean {
    return this.#latest.get(key)?.value !== undefined;
  }

  put(key: string, value: V): void {
    this.#note(key, value);
  }

  remove(key: string): void {
    if (this.has(key)) this.#note(key, undefined);
  }

  /** Takes a value out without telling anybody: others find out by themselves. */
  forget(key: string): void {
    if (this.#latest.get(key)?.value !== undefined) this.#latest.delete(key);
  }

  /** What changed after `since`, at most so many changes; everything for 0 or when that cannot be told. */
  since(since: number, max: number): Changes<V> {
    const full =
      (since === 0 && this.#version > 0) || since < this.#completeSince || since > this.#version;
    const from = full ? 0 : this.#firstAfter(since);
    const put: V[] = [];
    const removed: string[] = [];
    for (let at = from; at < this.#changes.length; at += 1) {
      const change = this.#changes[at];
      if (change === undefined || this.#latest.get(change.key) !== change) continue;
      if (put.length + removed.length >= max)
        return { version: this.#versionBefore(at), full, more: true, put, removed };
      if (change.value !== undefined) put.push(change.value);
      else if (!full) removed.push(change.key);
    }
    return { version: this.#version, full, more: false, put, removed };
  }

  #note(key: string, value: V | undefined): void {
    const before = this.#latest.get(key);
    if (before !== undefined && before.value === undefined) this.#removed -= 1;
    if (value === undefined) this.#removed += 1;
    this.#version += 1;
    const change = { version: this.#version, key, value };
    this.#latest.delete(key);
    this.#latest.set(key, change);
    this.#changes.push(change);
    if (this.#removed > removedMax) this.#forgetRemoved();
    if (this.#changes.length > 2 * this.#latest.size + 1_000)
      this.#changes = this.#changes.filter((one) => this.#latest.get(one.key) === one);
  }

  /** The older half of the removals. */
  #forgetRemoved(): void {
    for (const [key, { value, version }] of this.#latest) {
      if (this.#removed <= removedMax / 2) return;
      if (value !== undefined) continue;
      this.#latest.delete(key);
      this.#removed -= 1;
      this.#completeSince = version;
    }
  }

  #versionBefore(at: number): number {
    return (this.#changes[at]?.version ?? this.#version + 1) - 1;
  }

  #firstAfter(version: number): number {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.version ?? 0) <= version) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
