import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { NodeSpace } from './nodes.ts';

/** Networks of their own for two nodes, joined to this machine by a bridge; root on Linux only. */
export type NetworkSpaces = {
  readonly spaces: readonly NodeSpace[];
  /** From now on whatever is sent to the node vanishes, and so does what it sends. */
  blackHole(at: number): void;
  /** The address of node `at` becomes one of node `to`, and everybody is told, as VRRP does. */
  moveAddress(at: number, to: number): void;
  remove(): void;
};

/** Of this run alone: what a run that was killed left behind must not catch its packets. */
const network = `10.201.${process.pid % 256}`;

/** Whether this process may make networks: suites that need it are skipped by name elsewhere. */
export function canMakeSpaces(): boolean {
  const name = `us-try-${process.pid}`;
  try {
    ip('netns', 'add', name);
    ip('netns', 'delete', name);
    return true;
  } catch {
    return false;
  }
}

/** Nodes at `.2`, `.3` ... of a network of their own; this machine is `.1`. */
export function makeSpaces(count: number): NetworkSpaces {
  removeLeftovers();
  const bridge = `us-${process.pid}`;
  const places = Array.from({ length: count }, (_, at) => ({
    name: `us-${process.pid}-${at}`,
    host: `${network}.${at + 2}`,
    link: `us-${process.pid}-${at}`,
    mac: `02:00:0a:c9:4d:0${at + 2}`,
  }));
  const remove = () => {
    for (const { name } of places) attempt(() => ip('netns', 'delete', name));
    attempt(() => ip('link', 'delete', bridge));
  };
  const place = (at: number) => {
    const found = places[at];
    if (found === undefined) throw new Error(`there is no network ${at}`);
    return found;
  };
  /** Everybody but the owner knows where an address is, and never asks again. */
  const tell = (host: string, mac: string, owner: string) => {
    const entry = [host, 'lladdr', mac, 'nud', 'permanent'];
    ip('neighbour', 'replace', ...entry, 'dev', bridge);
    for (const { name } of places)
      if (name !== owner) ip('-n', name, 'neighbour', 'replace', ...entry, 'dev', 'eth0');
  };
  try {
    ip('link', 'add', bridge, 'type', 'bridge');
    ip('address', 'add', `${network}.1/24`, 'dev', bridge);
    ip('link', 'set', bridge, 'up');
    for (const { name, host, link, mac } of places) {
      ip('netns', 'add', name);
      ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
      ip('link', 'set', link, 'master', bridge, 'up');
      ip('-n', name, 'link', 'set', 'eth0', 'address', mac, 'up');
      ip('-n', name, 'link', 'set', 'lo', 'up');
      ip('-n', name, 'address', 'add', `${host}/24`, 'dev', 'eth0');
    }
    for (const { name, host, mac } of places) tell(host, mac, name);
  } catch (error) {
    remove();
    throw error;
  }
  return {
    spaces: places,
    blackHole: (at) => ip('link', 'set', place(at).link, 'nomaster'),
    moveAddress(at, to) {
      const { name, mac } = place(to);
      const { host } = place(at);
      ip('-n', name, 'neighbour', 'delete', host, 'dev', 'eth0');
      ip('-n', name, 'address', 'add', `${host}/24`, 'dev', 'eth0');
      tell(host, mac, name);
    },
    remove,
  };
}

/** Ends the networks of runs that were killed. */
function removeLeftovers(): void {
  const links = JSON.parse(execFileSync('ip', ['-json', 'link', 'show'], { encoding: 'utf8' }));
  for (const { ifname } of links as readonly { ifname: string }[]) {
    const [, pid, at] = /^us-(\d+)(?:-(\d+))?$/.exec(ifname) ?? [];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    if (at !== undefined) attempt(() => ip('netns', 'delete', ifname));
    attempt(() => ip('link', 'delete', ifname));
  }
}

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // It is not there.
  }
}
