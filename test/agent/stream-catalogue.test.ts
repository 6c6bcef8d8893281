import { describe, expect, it } from 'vitest';
import { reloadStreams } from '../../src/agent/reload-streams.ts';
import { type CatalogueChange, StreamCatalogue } from '../../src/agent/stream-catalogue.ts';
import { ConfigError } from '../../src/core/errors.ts';
import type { StreamConfig } from '../../src/core/stream/stream.ts';
import { createFakeLog } from '../support/fake-log.ts';
import { createMemoryStreamStore } from '../support/memory-stream-store.ts';

const aStream = (name: string, facts: Partial<StreamConfig> = {}): StreamConfig => ({
  name,
  origin: `http://127.0.0.1:8888/${name}.m3u8`,
  reserve: true,
  ...facts,
});

function observed(catalogue: StreamCatalogue): CatalogueChange[] {
  const changes: CatalogueChange[] = [];
  catalogue.onChange((change) => changes.push(change));
  return changes;
}

describe('the catalogue of streams', () => {
  it('holds what the store kept and what the file says, by name', () => {
    const catalogue = new StreamCatalogue(createMemoryStreamStore(aStream('b')));
    catalogue.replaceFile([aStream('c'), aStream('a')]);
    expect(catalogue.list().map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(['a', 'b', 'x'].map((name) => catalogue.definedIn(name))).toEqual([
      'file',
      'api',
      undefined,
    ]);
  });

  it('keeps a stream of the API over a restart, and tells whether it was new', () => {
    const store = createMemoryStreamStore();
    const catalogue = new StreamCatalogue(store);
    expect(catalogue.put(aStream('a'))).toBe('added');
    expect(catalogue.put(aStream('a', { group: 'one' }))).toBe('replaced');
    expect(new StreamCatalogue(store).get('a')).toEqual(aStream('a', { group: 'one' }));
    catalogue.remove('a');
    expect(new StreamCatalogue(store).list()).toEqual([]);
  });

  it('lets the file win over the API, and the API come back when the file drops the stream', () => {
    const catalogue = new StreamCatalogue(createMemoryStreamStore(aStream('a', { group: 'api' })));
    catalogue.replaceFile([aStream('a', { group: 'file' })]);
    expect(catalogue.get('a')?.group).toBe('file');
    catalogue.replaceFile([]);
    expect(catalogue.get('a')?.group).toBe('api');
  });

  it('does not let the API change what comes from the file', () => {
    const catalogue = new StreamCatalogue(createMemoryStreamStore());
    catalogue.replaceFile([aStream('a')]);
    const conflict = expect.objectContaining({ code: 'conflict' });
    expect(() => catalogue.put(aStream('a', { group: 'one' }))).toThrow(conflict);
    expect(() => catalogue.remove('a')).toThrow(conflict);
    expect(catalogue.get('a')).toEqual(aStream('a'));
  });

  it('tells each change once, and none when nothing changed', () => {
    const catalogue = new StreamCatalogue(createMemoryStreamStore());
    const changes = observed(catalogue);
    catalogue.put(aStream('a'));
    catalogue.put(aStream('a'));
    catalogue.replaceFile([aStream('b'), aStream('c')]);
    catalogue.replaceFile([aStream('b', { source: 'studio' })]);
    catalogue.remove('a');
    expect(
      changes.map(({ put, removed }) => [put.map(({ name }) => name).join(), removed.join()]),
    ).toEqual([
      ['a', ''],
      ['b,c', ''],
      ['b', 'c'],
      ['', 'a'],
    ]);
  });

  it.each(['origin', 'dash', 'group', 'source'] as const)('notices another %s', (field) => {
    const catalogue = new StreamCatalogue(createMemoryStreamStore(aStream('a')));
    const changes = observed(catalogue);
    catalogue.put(aStream('a', { [field]: '/other' }));
    expect(changes).toHaveLength(1);
  });

  it('tells nobody any more who asked not to be told', () => {
    const catalogue = new StreamCatalogue(createMemoryStreamStore());
    let calls = 0;
    const stop = catalogue.onChange(() => {
      calls += 1;
    });
    stop();
    catalogue.put(aStream('a'));
    expect(calls).toBe(0);
  });

  it('changes nothing when the store fails', () => {
    const store = createMemoryStreamStore(aStream('a'));
    const catalogue = new StreamCatalogue(store);
    const changes = observed(catalogue);
    store.isFull = true;
    const failed = expect.objectContaining({ code: 'store_failed' });
    expect(() => catalogue.put(aStream('b'))).toThrow(failed);
    expect(() => catalogue.remove('a')).toThrow(failed);
    expect(catalogue.list()).toEqual([aStream('a')]);
    expect(changes).toEqual([]);
  });

  it('takes 1000 streams of the API, not one more, and still lets each be replaced', () => {
    const catalogue = new StreamCatalogue(createMemoryStreamStore());
    for (let at = 0; at < 1000; at += 1) catalogue.put(aStream(`s${at}`));
    expect(() => catalogue.put(aStream('more'))).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    );
    expect(catalogue.put(aStream('s999', { group: 'one' }))).toBe('replaced');
  });

  it('does not know a stream that was never there', () => {
    const catalogue = new StreamCatalogue(createMemoryStreamStore());
    expect(() => catalogue.remove('a')).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});

describe('reading the streams file again', () => {
  it('puts its streams in place of the old ones', () => {
    const catalogue = new StreamCatalogue(createMemoryStreamStore());
    catalogue.replaceFile([aStream('old')]);
    reloadStreams({ read: () => [aStream('new')], catalogue, log: createFakeLog() });
    expect(catalogue.list()).toEqual([aStream('new')]);
  });

  it('keeps the old ones when the file has faults, and logs each fault', () => {
    const catalogue = new StreamCatalogue(createMemoryStreamStore());
    catalogue.replaceFile([aStream('old')]);
    const log = createFakeLog();
    const read = () => {
      throw new ConfigError('streams file "s.yaml"', [
        'stream 1: origin must ...',
        'stream 2: ...',
      ]);
    };
    reloadStreams({ read, catalogue, log });
    expect(catalogue.list()).toEqual([aStream('old')]);
    expect(log.lines).toEqual([
      expect.objectContaining({
        level: 'error',
        fields: { faults: ['stream 1: origin must ...', 'stream 2: ...'] },
      }),
    ]);
  });

  it('does not hide a fault of the agent itself', () => {
    const read = () => {
      throw new TypeError('a bug');
    };
    const catalogue = new StreamCatalogue(createMemoryStreamStore());
    expect(() => reloadStreams({ read, catalogue, log: createFakeLog() })).toThrow('a bug');
  });
});
