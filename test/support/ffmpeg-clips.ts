import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';

const run = promisify(execFile);

/** Whether Debian's ffmpeg is there; suites that need it are skipped by name without it. */
export const hasFfmpeg = hasCommand('ffmpeg') && hasCommand('ffprobe');

export function hasCommand(name: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)));
}

let folder: string | undefined;
const made = new Map<string, Promise<string>>();

afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** Folder of this test file's clips; gone when the file is done. */
export function clipFolder(): string {
  if (folder === undefined) {
    folder = mkdtempSync(join(tmpdir(), 'understudy-clips-'));
  }
  return folder;
}

/**
 * Runs ffmpeg once per `name` in the clip folder, with `name` as its output unless `args` end with one of
 * their own; returns the path of the output.
 */
export function clip(name: string, args: readonly string[]): Promise<string> {
  const known = made.get(name);
  if (known !== undefined) return known;
  const path = join(clipFolder(), name);
  const flags = ['-hide_banner', '-nostdin', '-loglevel', 'error', '-y'];
  const task = run('ffmpeg', [...flags, ...args, path], { cwd: clipFolder() }).then(() => path);
  made.set(name, task);
  return task;
}

/** A moving picture with a counter-like pattern and a changing tone, as lavfi inputs. */
export function testSource(options: { seconds: number; rate?: string; size?: string }): string[] {
  const { seconds, rate = '25', size = '320x180' } = options;
  return [
    ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`],
    ...['-f', 'lavfi', '-i', `aevalsrc=0.3*sin(2*PI*t*(300+90*t)):s=48000:d=${seconds}`],
  ];
}

export function bytesOf(path: string): Uint8Array {
  return new Uint8Array(readFileSync(path));
}

/** Files of a folder whose names end with `ending`, sorted by the number in their names. */
export function numbered(path: string, ending: string): string[] {
  const number = (name: string) => Number(/\d+/.exec(name)?.[0] ?? -1);
  const names = readdirSync(path).filter((name) => name.endsWith(ending));
  return names.sort((a, b) => number(a) - number(b)).map((name) => join(path, name));
}

/** What ffprobe says, as JSON. */
export function probe(path: string, ...args: readonly string[]): Record<string, never[]> {
  const flags = ['-v', 'error', '-of', 'json', ...args, path];
  const text = execFileSync('ffprobe', flags, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return JSON.parse(text);
}
