import type { Http2ServerRequest } from 'node:http2';
import type { HttpBindings } from '@hono/node-server';
import ipaddr from 'ipaddr.js';
import { readAddress } from '../../core/viewer/address-class.ts';
import { type ConnectionFacts, observeViewer } from '../../core/viewer/observe.ts';
import type { Viewer } from '../../core/viewer/viewer.ts';

/** Headers that say who the viewer is. */
const saidNames = ['user-agent', 'x-forwarded-proto', 'x-forwarded-for'] as const;

/** Longest `X-Forwarded-For` that is looked at, characters; a longer one is ignored. */
const forwardedLengthMax = 1024;

type Socket = { readonly remoteAddress?: string | undefined };
/** Value of a header by its lower-case name. */
export type Header = (name: string) => string | undefined;

/**
 * Observes the viewer behind a request. A player sends the same with every request of a connection: then it is the same
 * viewer, and nothing is read again.
 *
 * @param socket absent where the transport is not known
 * @param header value of a header by its lower-case name
 */
export function createObserver(
  trustedProxies: readonly string[],
): (socket: Socket | undefined, header: Header) => Viewer {
  const seen = new WeakMap<
    Socket,
    { readonly said: readonly unknown[]; readonly viewer: Viewer }
  >();
  return (socket, header) => {
    const before = socket && seen.get(socket);
    if (before !== undefined && saidNames.every((name, at) => header(name) === before.said[at]))
      return before.viewer;
    const said = saidNames.map(header);
    const viewer = observeViewer(
      observeConnection({
        remoteAddress: socket?.remoteAddress,
        encrypted: socket !== undefined && 'encrypted' in socket,
        headers: header,
        trustedProxies,
      }),
    );
    if (socket !== undefined) seen.set(socket, { said, viewer });
    return viewer;
  };
}

/**
 * The facts of one connection.
 *
 * The address is the socket's. Only if that lies in one of `trustedProxies` (CIDRs), `X-Forwarded-For` is
 * read from its end: the first address that is no trusted proxy is the viewer's, the first one if all are.
 * What cannot be read, also in the middle, leaves the socket's address. `X-Forwarded-Proto: https` is always
 * believed: it can only take backups away from whoever forges it.
 *
 * @param parts.headers value of a header by its lower-case name. A CIDR that cannot be read trusts nobody: the
 *   configuration refuses it before it gets here.
 */
export function observeConnection(parts: {
  readonly remoteAddress: string | undefined;
  readonly encrypted: boolean;
  readonly headers: (name: string) => string | undefined;
  readonly trustedProxies: readonly string[];
}): ConnectionFacts {
  const socketAddress = withoutZone(parts.remoteAddress ?? '');
  const forwarded = parts.trustedProxies.length > 0 ? parts.headers('x-forwarded-for') : undefined;
  return {
    address:
      (forwarded && viewerBehind(socketAddress, forwarded, parts.trustedProxies)) || socketAddress,
    isHttps: parts.encrypted || isHttpsInFront(parts.headers('x-forwarded-proto')),
    userAgent: parts.headers('user-agent'),
  };
}

/** The first of several values is what the outermost proxy saw. */
function isHttpsInFront(header: string | undefined): boolean {
  return header !== undefined && /^\s*https\s*(?:,|$)/i.test(header);
}

function viewerBehind(socketAddress: string, forwarded: string, trustedProxies: readonly string[]) {
  const trusts = trustOf(trustedProxies);
  if (!trusts(socketAddress) || forwarded.length > forwardedLengthMax) {
    return undefined;
  }
  let outermost: string | undefined;
  for (const entry of forwarded.split(',').reverse()) {
    const address = readAddress(withoutPort(entry.trim()))?.text;
    if (address === undefined) {
      return undefined;
    }
    if (!trusts(address)) {
      return address;
    }
    outermost = address;
  }
  return outermost;
}

/** `fe80::1%eth0` as sockets of one link have it. */
function withoutZone(address: string): string {
  const at = address.indexOf('%');
  return at < 0 ? address : address.slice(0, at);
}

/** Some proxies write `203.0.113.9:4711` or `[2001:db8::9]:4711`. */
function withoutPort(text: string): string {
  return /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d{1,5}$/, '$1');
}

type Trust = (address: string) => boolean;

/** CIDRs are read once per list: the configuration is one frozen object. */
const trustByList = new WeakMap<readonly string[], Trust>();

function trustOf(trustedProxies: readonly string[]): Trust {
  let trust = trustByList.get(trustedProxies);
  if (trust === undefined) {
    const ranges = trustedProxies.filter(ipaddr.isValidCIDR).map((cidr) => ipaddr.parseCIDR(cidr));
    trust = (text) => {
      if (readAddress(text) === undefined) {
        return false;
      }
      const address = ipaddr.process(text);
      return ranges.some(
        ([base, bits]) => base.kind() === address.kind() && address.match(base, bits),
      );
    };
    trustByList.set(trustedProxies, trust);
  }
  return trust;
}

/** One object for all requests of a connection; those of HTTP/2 have a socket each that is not the real one. */
export function connectionOf(incoming: HttpBindings['incoming'] | undefined): object | undefined {
  return incoming !== undefined && 'stream' in incoming
    ? (incoming as unknown as Http2ServerRequest).stream.session
    : incoming?.socket;
}
