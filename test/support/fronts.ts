import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CertificateFiles } from './certificates.ts';

const startMsMax = 15_000;
const deployed = (name: string) => new URL(`../../docs/deploy/${name}`, import.meta.url);

/** Where a proxy in front of an agent listens, and whom it asks. */
export type FrontPlace = {
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  /** Host and port of the agent's viewer listener. */
  readonly agent: string;
  readonly certificate: CertificateFiles;
};

/** Starts nginx with `docs/deploy/nginx.conf`, only its addresses and paths exchanged. */
export function startNginx(place: FrontPlace): Promise<() => Promise<void>> {
  const { folder, host, port, agent, certificate } = place;
  const site = exchanged('nginx.conf', [
    ['server 127.0.0.1:8080;', `server ${agent};`],
    ['/dev/shm/understudy', join(folder, 'cache')],
    ['listen 80;', ''],
    ['listen [::]:80;', ''],
    ['listen [::]:443 ssl http2;', ''],
    ['listen 443 ssl http2;', `listen ${host}:${port} ssl http2;`],
    ['/etc/ssl/edge-a.example.net.pem', certificate.certFile],
    ['/etc/ssl/edge-a.example.net.key', certificate.keyFile],
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    [
      ...['user root;', 'daemon off;', 'worker_processes 1;', `pid ${join(folder, 'pid')};`],
      ...['error_log stderr;', 'events { worker_connections 256; }', 'http {'],
      ...[...temporary, site, '}', ''],
    ].join('\n'),
  );
  mkdirSync(join(folder, 'cache'));
  return start('nginx', ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], place);
}

/** Starts HAProxy with `docs/deploy/haproxy.cfg`, likewise. */
export function startHaproxy(place: FrontPlace): Promise<() => Promise<void>> {
  const { folder, host, port, agent, certificate } = place;
  const pair = join(folder, 'pair.pem');
  writeFileSync(
    pair,
    readFileSync(certificate.certFile, 'utf8') + readFileSync(certificate.keyFile, 'utf8'),
  );
  const config = exchanged('haproxy.cfg', [
    ['maxconn 50000', 'maxconn 200'],
    ['maxconn 10000', 'maxconn 200'],
    ['server agent 127.0.0.1:8080', `server agent ${agent}`],
    ['    bind :80,:::80 v6only\n', ''],
    ['bind :443,:::443 v6only', `bind ${host}:${port}`],
    ['/etc/haproxy/edge-a.example.net.pem', pair],
    ['/etc/haproxy/gone.http', deployed('gone.http').pathname],
  ]);
  writeFileSync(join(folder, 'haproxy.cfg'), config);
  return start('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], place);
}

/** A file of `docs/deploy` with every text on the left exchanged. @throws when one is not there */
function exchanged(name: string, texts: readonly (readonly [string, string])[]): string {
  return texts.reduce(
    (text, [before, after]) => {
      if (!text.includes(before)) throw new Error(`${name} has no "${before}"`);
      return text.replaceAll(before, after);
    },
    readFileSync(deployed(name), 'utf8'),
  );
}

/** Resolves when it listens; the answer ends it. */
async function start(
  program: string,
  args: readonly string[],
  { host, port }: FrontPlace,
): Promise<() => Promise<void>> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.on('data', (part: Buffer) => {
    said += part.toString();
  });
  const until = performance.now() + startMsMax;
  while (!(await isListening(host, port))) {
    if (child.exitCode !== null || performance.now() > until)
      throw new Error(`${program} does not start: ${said}`);
    await delay(50);
  }
  return () => end(child);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Whether somebody listens there. */
async function isListening(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  const isConnected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isConnected;
}
