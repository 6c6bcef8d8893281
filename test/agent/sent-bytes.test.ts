import { describe, expect, it } from 'vitest';
import type { StoredSegment } from '../../src/agent/segments.ts';
import { SentBytes } from '../../src/agent/sent-bytes.ts';
import { Sessions } from '../../src/agent/sessions.ts';
import { testNow } from '../support/builders.ts';

function create() {
  const sessions = new Sessions();
  for (const id of ['one', 'two'])
    sessions.start(
      { id, stream: 'ch1', kind: 'own', home: 'node-a', family: 'browser', backups: [] },
      testNow,
    );
  const file = {
    ...{ kind: 'stored', status: 200, headers: {}, bytes: new Uint8Array(256 * 4_000) },
  } as StoredSegment;
  const bytesOf = (id: string) => sessions.get(id)?.bytes;
  return { sent: new SentBytes(sessions), file, bytesOf };
}

describe('the bytes sent to a session', () => {
  it('are its playlists, and segments over the connection that brought them', () => {
    const { sent, file, bytesOf } = create();
    const connection = {};
    sent.noteFile(connection, file);
    expect(bytesOf('one')).toBe(0);
    sent.note(connection, 'one', 2_560);
    sent.noteFile(connection, file);
    expect(bytesOf('one')).toBe(2_560 + 256 * 4_000);
    expect(bytesOf('two')).toBe(0);
  });

  it('are not guessed over a connection that brought playlists to others, or to nobody known', () => {
    const { sent, file, bytesOf } = create();
    const connection = {};
    sent.note(connection, 'one', 256);
    sent.note(connection, 'two', 256);
    sent.noteFile(connection, file);
    sent.noteFile({}, file);
    sent.noteFile(undefined, file);
    sent.note(connection, 'gone', 256);
    expect([bytesOf('one'), bytesOf('two')]).toEqual([256, 256]);
  });

  it('count a body that streams through by the length it announces, if it does', () => {
    const { sent, bytesOf } = create();
    const connection = {};
    sent.note(connection, 'one', 0);
    const stream = (headers: Record<string, string>) =>
      ({
        kind: 'stream',
        status: 200,
        headers,
        body: (async function* () {})(),
        close() {},
      }) as const;
    sent.noteFile(connection, stream({ 'content-length': '25600' }));
    sent.noteFile(connection, stream({}));
    expect(bytesOf('one')).toBe(25_600);
  });
});
