import type { OriginStream } from './ports.ts';
import type { StoredSegment } from './segments.ts';
import type { Sessions } from './sessions.ts';

/** A connection that brought playlists to more than one session belongs to none. */
const many = '';

/**
 * Counts what is sent to a session. Segments carry no pass: they count for the session whose playlists went over the same
 * connection, as long as that is one only.
 */
export class SentBytes {
  readonly #sessions: Pick<Sessions, 'addBytes'>;
  readonly #owners = new WeakMap<object, string>();

  constructor(sessions: Pick<Sessions, 'addBytes'>) {
    this.#sessions = sessions;
  }

  /** A playlist was sent to a session. */
  note(connection: object | undefined, session: string, bytes: number): void {
    this.#sessions.addBytes(session, bytes);
    if (connection === undefined) return;
    const owner = this.#owners.get(connection);
    this.#owners.set(connection, owner === undefined || owner === session ? session : many);
  }

  /** A file was sent, of which it is not said to whom. A body of unknown length is not counted. */
  noteFile(connection: object | undefined, file: OriginStream | StoredSegment): void {
    this.noteBytes(
      connection,
      file.kind === 'stored' ? file.bytes.length : Number(file.headers['content-length']),
    );
  }

  /** The same, by its length; NaN when that is not known. */
  noteBytes(connection: object | undefined, bytes: number): void {
    const owner = connection && this.#owners.get(connection);
    if (owner === undefined || owner === many) return;
    if (bytes > 0) this.#sessions.addBytes(owner, bytes);
  }
}
