/**
 * Everything a fresh checkout needs before the agent can run: `node src/setup.mjs <command>` installs
 * the npm packages if they are missing or older than the lock file, builds if `dist` is older than
 * `src`, and then becomes `dist/main.js <command>`. `build` alone only builds.
 *
 * Plain JavaScript without dependencies: it runs before there are any.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
/** Written when a build is complete: its time says how old `dist` is. */
const stamp = join(dist, '.built');

/** What the process of an agent is given so that it stays small (ADR 27); `docs/deploy` gives the same. */
export const smallProcess = {
  MALLOC_ARENA_MAX: '1',
  NODE_OPTIONS: '--max-semi-space-size=8',
};

/** Ends the process with a sentence that says what to do, unless Node is 20.19 or newer. */
export function checkNode() {
  const [major, minor] = process.version.slice(1).split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  fail(
    `Understudy needs Node 20.19 or newer; this is Node ${process.version} (${process.execPath}).`,
  );
}

/** Runs `npm ci`, development packages included, unless what is installed is as new as the lock file. */
export function installPackages() {
  const installed = timeOf(join(root, 'node_modules/.package-lock.json'));
  const isComplete = existsSync(join(root, 'node_modules/typescript'));
  if (isComplete && installed >= timeOf(join(root, 'package-lock.json'))) return;
  say('installing npm packages ...');
  run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']);
}

/** Compiles `src`, puts its other files (pages, the clip) beside the result, and builds the console. */
function build() {
  say('building ...');
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', root]);
  cpSync(join(root, 'src'), dist, { recursive: true, filter: isAsset });
  run(process.execPath, [
    join(root, 'node_modules/vite/bin/vite.js'),
    ...['build', '--config', join(root, 'src/console/vite.config.js')],
  ]);
  writeFileSync(stamp, '');
}

/** Builds unless nothing in `src` is newer than the last complete build. */
function buildIfStale() {
  const sources = [join(root, 'tsconfig.json'), join(root, 'package-lock.json')];
  for (const name of readdirSync(join(root, 'src'), { recursive: true })) {
    sources.push(join(root, 'src', String(name)));
  }
  if (Math.max(...sources.map(timeOf)) > timeOf(stamp)) build();
}

/** Becomes `dist/main.js`: same signals, same exit code. */
function start(args) {
  const child = spawn(process.execPath, [join(dist, 'main.js'), ...args], {
    stdio: 'inherit',
    env: { ...smallProcess, ...process.env },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

function isAsset(path) {
  return path !== join(root, 'src/console') && !['.ts', '.mjs'].includes(extname(path));
}

/** Last change of a file or folder, ms; 0 if it is not there. */
function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (error) fail(`${command} cannot be run: ${error.message}`);
  if (status !== 0) fail(`${command} ${args.join(' ')} failed.`);
}

function say(text) {
  console.error(text);
}

function fail(text) {
  say(text);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  checkNode();
  installPackages();
  const [command, ...args] = process.argv.slice(2);
  if (command === 'build') {
    build();
  } else {
    buildIfStale();
    const settings = join(root, '.env');
    if (command === 'serve' && existsSync(settings)) process.loadEnvFile(settings);
    start(command === undefined ? [] : [command, ...args]);
  }
}
