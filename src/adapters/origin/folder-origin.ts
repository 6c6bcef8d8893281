import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Origin, OriginBody, OriginFault, OriginStream } from '../../agent/ports.ts';
import { rangeAnswer, resolveRange } from '../../core/stream/byte-range.ts';
import { contentTypeOf } from './content-types.ts';

/** Bytes read from a file at once. */
const readBytes = 256 * 1024;
/** A file written less than this ago may not be whole yet (packagers that do not write beside and rename), ms. */
const settlingMs = 30;
const settlingReadsMax = 4;

/** The folder that the `file:` URL `folder` (ending in `/`) names; what lies outside, by link or otherwise, is refused. */
export function createFolderOrigin(folder: string): Origin {
  const root = fileURLToPath(folder);
  return {
    read: (url, limits) =>
      within(limits.deadlineMs, async () => {
        const file = await openFile(root, url);
        return file.kind === 'fault' ? file : await readWhole(file, url, limits.bytesMax);
      }),

    open: (url, options) =>
      within(options.firstByteMs, async () => {
        const file = await openFile(root, url);
        return file.kind === 'fault' ? file : openBody(file, url, options.range);
      }),

    close: () => undefined,
  };
}

type OpenFile = { readonly kind: 'file'; readonly handle: FileHandle; readonly stats: Stats };

/** A file system that hangs (a dead network mount) must not hang a viewer; what it finds too late is closed. */
async function within<T extends OriginBody | OriginStream>(
  ms: number,
  work: () => Promise<T | OriginFault>,
): Promise<T | OriginFault> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<OriginFault>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'fault', reason: 'origin-timeout' }), ms);
  });
  const found = work().catch(fileFault);
  try {
    const first = await Promise.race([found, late]);
    if (first.kind === 'fault') void found.then((file) => file.kind === 'stream' && file.close());
    return first;
  } finally {
    clearTimeout(timer);
  }
}

/** Links are followed first and judged by where they lead; not blocking, so that a pipe is seen to be no file. */
async function openFile(root: string, url: string): Promise<OpenFile | OriginFault> {
  const path = localPath(url);
  if (path === undefined) return { kind: 'fault', reason: 'origin-refused' };
  const [realRoot, realPath] = await Promise.all([realpath(root), realpath(path)]);
  if (!realPath.startsWith(realRoot.endsWith('/') ? realRoot : `${realRoot}/`))
    return { kind: 'fault', reason: 'origin-refused' };
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(realPath, flags);
  const stats = await handle.stat();
  if (stats.isFile()) return { kind: 'file', handle, stats };
  await handle.close();
  return { kind: 'fault', reason: 'origin-status', status: 404 };
}

function localPath(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

/**
 * Reads a file that may be being written: as long as it has just changed, or changes while it is read, it is read
 * again. A playlist cut short would look like a window that fell back.
 */
async function readWhole(
  file: OpenFile,
  url: string,
  bytesMax: number,
): Promise<OriginBody | OriginFault> {
  const { handle } = file;
  try {
    let before = file.stats;
    let bytes: Buffer = Buffer.alloc(0);
    for (let reads = 0; reads < settlingReadsMax; reads++) {
      if (before.size > bytesMax) return { kind: 'fault', reason: 'origin-too-large' };
      bytes = await readUpTo(handle, bytesMax + 1);
      if (bytes.length > bytesMax) return { kind: 'fault', reason: 'origin-too-large' };
      const after = await handle.stat();
      const isSame = after.mtimeMs === before.mtimeMs && after.size === bytes.length;
      if (isSame && Date.now() - after.mtimeMs > settlingMs) break;
      await pause(settlingMs / 2);
      before = await handle.stat();
    }
    return { kind: 'body', url, bytes, contentType: contentTypeOf(new URL(url).pathname) };
  } finally {
    await handle.close();
  }
}

async function readUpTo(handle: FileHandle, bytesMax: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let size = 0; size < bytesMax; ) {
    const part = Buffer.allocUnsafe(Math.min(readBytes, bytesMax - size));
    const { bytesRead } = await handle.read(part, 0, part.length, size);
    if (bytesRead === 0) break;
    parts.push(part.subarray(0, bytesRead));
    size += bytesRead;
  }
  return Buffer.concat(parts);
}

/** The file as long as it was when it was opened: it may grow unseen; when it shrinks the body breaks off. */
function openBody({ handle, stats }: OpenFile, url: string, header?: string): OriginStream {
  const range = resolveRange(header, stats.size);
  const answer = rangeAnswer(range, stats.size, {
    'content-type': contentTypeOf(new URL(url).pathname),
    'last-modified': stats.mtime.toUTCString(),
    etag: `"${stats.size.toString(16)}-${Math.floor(stats.mtimeMs).toString(16)}"`,
  });
  const first = range.kind === 'part' ? range.first : 0;
  const length = Number(answer.headers['content-length']);
  let closed = false;
  const close = () => {
    if (closed) return;
    closed = true;
    void handle.close().catch(() => undefined);
  };
  if (length === 0) close();
  return { kind: 'stream', ...answer, body: readParts(handle, { first, length, close }), close };
}

async function* readParts(
  handle: FileHandle,
  part: { first: number; length: number; close: () => void },
): AsyncGenerator<Uint8Array> {
  try {
    for (let done = 0; done < part.length; ) {
      const bytes = Buffer.allocUnsafe(Math.min(readBytes, part.length - done));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, part.first + done);
      if (bytesRead === 0) throw new Error('the file became shorter while it was sent');
      done += bytesRead;
      yield bytes.subarray(0, bytesRead);
    }
  } finally {
    part.close();
  }
}

function fileFault(cause: NodeJS.ErrnoException): OriginFault {
  const isMissing = cause.code === 'ENOENT' || cause.code === 'ENOTDIR' || cause.code === 'ELOOP';
  return isMissing
    ? { kind: 'fault', reason: 'origin-status', status: 404 }
    : { kind: 'fault', reason: 'origin-unreachable' };
}
