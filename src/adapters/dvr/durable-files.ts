import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const newPrefix = '.new-';
const gonePrefix = '.gone-';

/** What a crash may have left behind: half-written files and half-removed folders. */
export function isLeftover(name: string): boolean {
  return name.startsWith(newPrefix) || name.startsWith(gonePrefix);
}

/**
 * Writes a file so that after any crash, of the machine too, either all of it is there or nothing of that name; once this
 * has resolved it stays. What had that name before is there until then. Rejects as the file system does, and then leaves
 * nothing unfinished behind.
 */
export async function writeDurably(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const unfinished = join(folder, newPrefix + name);
  try {
    const file = await open(unfinished, 'w', 0o640);
    try {
      await writeAll(file, bytes);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(unfinished, join(folder, name));
    await syncFolder(folder);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** In one call where the system takes it so: `writeFile` would cut it into small parts. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, at);
    at += bytesWritten;
  }
}

/** Makes a folder, and those above it, so that it stays. */
export async function makeFolderDurably(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o750 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made))
    await syncFolder(dirname(made));
}

/** Removes a folder with all that is in it; after a crash it is there whole or, for {@link isLeftover}, not at all. */
export async function removeFolder(parent: string, name: string): Promise<void> {
  const going = join(parent, gonePrefix + name);
  await rm(going, { recursive: true, force: true });
  await rename(join(parent, name), going);
  await syncFolder(parent);
  await rm(going, { recursive: true, force: true });
}

async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
