import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isInstalled } from './support/installed.ts';

const path = (name: string) => fileURLToPath(new URL(`../docs/deploy/${name}`, import.meta.url));
const read = (name: string) => readFileSync(path(name), 'utf8');

/** Runs a program in a group of its own: keepalived ends its whole group when it has checked. */
function run(...[program = '', ...args]: string[]) {
  const { status, stdout, stderr } = spawnSync('setsid', [program, ...args], { encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
}

describe('the unit for systemd', () => {
  it.skipIf(!isInstalled('systemd-analyze'))('is one, and exposes little', () => {
    const unit = path('understudy.service');
    const verified = run('systemd-analyze', 'verify', unit);
    // Elsewhere Node.js may be in another place.
    const complaints = verified.said.split('\n').filter((line) => line.includes(unit));
    expect(complaints).toEqual([]);
    const judged = run('systemd-analyze', 'security', '--offline=true', '--threshold=20', unit);
    expect(judged.status, judged.said).toBe(0);
  });
});

it.each(['understudy.service', 'Dockerfile'])(
  '%s keeps the process small as `npm start` does',
  (name) => {
    const setup = readFileSync(new URL('../src/setup.mjs', import.meta.url), 'utf8');
    const [, arenas] = setup.match(/MALLOC_ARENA_MAX: '(.+)'/) ?? [];
    const [, options] = setup.match(/NODE_OPTIONS: '(.+)'/) ?? [];
    expect([arenas, options]).not.toContain(undefined);
    expect(read(name)).toContain(`MALLOC_ARENA_MAX=${arenas} NODE_OPTIONS=${options}\n`);
  },
);

describe('the file for keepalived', () => {
  it.skipIf(!isInstalled('keepalived'))('has no word that keepalived does not know', () => {
    expect(run('keepalived', '-t', '-l', '-f', path('keepalived.conf')).said).not.toMatch(
      /Line \d/,
    );
  });
});

describe('the file for Docker', () => {
  const lines = read('Dockerfile')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

  it('copies what is there', () => {
    const copied = lines
      .filter((line) => /^COPY (?!--from)/.test(line))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied.length).toBeGreaterThan(3);
    expect(copied.filter((name) => !existsSync(new URL(`../${name}`, import.meta.url)))).toEqual(
      [],
    );
  });

  it('runs the agent as nobody special, and sends signals to the agent itself', () => {
    expect(lines).toContain('USER node');
    expect(lines).toContain('ENTRYPOINT ["node", "dist/main.js"]');
    expect(lines).toContain('EXPOSE 8080 8082');
  });
});

describe('the answer of HAProxy when the agent is gone', () => {
  it('is 404 as a browser may read it, with the line ends of HTTP', () => {
    const answer = read('gone.http');
    expect(answer.startsWith('HTTP/1.1 404 ')).toBe(true);
    expect(answer).toContain('\r\nAccess-Control-Allow-Origin: *\r\n');
    expect(answer.endsWith('\r\n\r\n')).toBe(true);
    expect(answer.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  });
});

it('the guide names every file that is beside it', () => {
  const guide = read('README.md');
  for (const name of [
    'understudy.service',
    'nginx.conf',
    'haproxy.cfg',
    'gone.http',
    'keepalived.conf',
    'Dockerfile',
  ])
    expect(guide).toContain(`(${name})`);
});
