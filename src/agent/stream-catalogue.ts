import { AgentError } from '../core/errors.ts';
import type { StreamConfig } from '../core/stream/stream.ts';
import type { StreamStore } from './ports.ts';

/** Most streams that the API may add to a node. */
const apiStreamsMax = 1000;

/** Who says that a stream is there: only the API may change what came through it. */
export type DefinedIn = 'file' | 'api';

/** What became of the list; a stream whose settings changed is in `put`. */
export type CatalogueChange = {
  readonly put: readonly StreamConfig[];
  readonly removed: readonly string[];
};

/**
 * The streams of this node: those of the streams file and those of the API, by name. Where both have one, the file's
 * counts; the API's is kept and comes back when the file drops its own. Reading never touches the store.
 */
export class StreamCatalogue {
  readonly #store: StreamStore;
  readonly #listeners = new Set<(change: CatalogueChange) => void>();
  readonly #ofApi: Map<string, StreamConfig>;
  #ofFile: ReadonlyMap<string, StreamConfig> = new Map();
  #all: ReadonlyMap<string, StreamConfig>;

  /** @throws store_failed */
  constructor(store: StreamStore) {
    this.#store = store;
    this.#ofApi = byName(store.list());
    this.#all = this.#merged();
  }

  /** In the order of names. */
  list(): readonly StreamConfig[] {
    return [...this.#all.values()];
  }

  get(name: string): StreamConfig | undefined {
    return this.#all.get(name);
  }

  definedIn(name: string): DefinedIn | undefined {
    if (this.#ofFile.has(name)) return 'file';
    return this.#ofApi.has(name) ? 'api' : undefined;
  }

  /**
   * Adds a stream of the API or replaces the one of its name; it is kept before anybody hears of it.
   * @throws conflict when the name is the file's, or the API has as many streams as it may; store_failed
   */
  put(stream: StreamConfig): 'added' | 'replaced' {
    this.#refuseOfFile(stream.name);
    const isNew = !this.#ofApi.has(stream.name);
    if (isNew && this.#ofApi.size >= apiStreamsMax)
      throw new AgentError('conflict', `node has ${apiStreamsMax} streams, which is the limit`);
    this.#store.put(stream);
    this.#ofApi.set(stream.name, stream);
    this.#refresh();
    return isNew ? 'added' : 'replaced';
  }

  /** Removes a stream of the API. @throws conflict when the name is the file's; not_found; store_failed */
  remove(name: string): void {
    this.#refuseOfFile(name);
    if (!this.#ofApi.has(name)) throw new AgentError('not_found', `there is no stream "${name}"`);
    this.#store.remove(name);
    this.#ofApi.delete(name);
    this.#refresh();
  }

  /** Puts the streams of the file, whose names differ, in place of those it had before. */
  replaceFile(streams: readonly StreamConfig[]): void {
    this.#ofFile = byName(streams);
    this.#refresh();
  }

  /** Calls `listener` after each change, in the same turn; the answer ends that. */
  onChange(listener: (change: CatalogueChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #refuseOfFile(name: string): void {
    if (this.#ofFile.has(name))
      throw new AgentError(
        'conflict',
        `stream "${name}" comes from the streams file: change it there`,
      );
  }

  #refresh(): void {
    const before = this.#all;
    this.#all = this.#merged();
    const put = [...this.#all.values()].filter((stream) =>
      differs(stream, before.get(stream.name)),
    );
    const removed = [...before.keys()].filter((name) => !this.#all.has(name));
    if (put.length === 0 && removed.length === 0) return;
    for (const listener of this.#listeners) listener({ put, removed });
  }

  #merged(): ReadonlyMap<string, StreamConfig> {
    const merged = new Map([...this.#ofApi, ...this.#ofFile]);
    return new Map([...merged].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function byName(streams: readonly StreamConfig[]): Map<string, StreamConfig> {
  return new Map(streams.map((stream) => [stream.name, stream]));
}

function differs(a: StreamConfig, b: StreamConfig | undefined): boolean {
  return (
    b === undefined ||
    (['origin', 'dash', 'group', 'reserve', 'source'] as const).some(
      (field) => a[field] !== b[field],
    ) ||
    JSON.stringify(a.archive) !== JSON.stringify(b.archive)
  );
}
