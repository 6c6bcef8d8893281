import { type LookupAddress, lookup } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { checkServerIdentity, type TLSSocket } from 'node:tls';
import type { CertificateFacts } from '../../core/check/facts.ts';

/** Whoever has not answered by then counts as silent, ms. */
const answerMsMax = 5_000;

/** Names must be resolved by then, ms. */
const lookupMsMax = 3_000;

/** What a listener answered; its body is not read. */
export type ListenerAnswer = {
  readonly kind: 'answer';
  readonly status: number;
  /** Value of a header, by its lower-case name. */
  header(name: string): string | undefined;
  /** What it showed; absent over http. */
  readonly certificate?: CertificateFacts | undefined;
};

/** Nobody answered; `cause` is a code such as ECONNREFUSED. */
export type Silence = { readonly kind: 'silence'; readonly cause: string };

/**
 * Asks `url` once, as a player would that came from nowhere. Never follows a redirect, never rejects, settles within
 * some seconds. `mustTrust`: a certificate that is not good ends it before the URL, which may hold a pass, is sent.
 */
export function askListener(
  url: string,
  options: { readonly mustTrust: boolean },
): Promise<ListenerAnswer | Silence> {
  return new Promise((resolve) => {
    const secure = url.startsWith('https:');
    const request = (secure ? requestHttps : requestHttp)(url, {
      agent: false,
      headers: { 'user-agent': 'understudy-check' },
      lookup: lookupHere,
      rejectUnauthorized: options.mustTrust,
    });
    const fail = (cause: string) => {
      clearTimeout(timer);
      resolve({ kind: 'silence', cause });
      request.destroy();
    };
    const timer = setTimeout(() => fail(`no answer within ${answerMsMax} ms`), answerMsMax);
    request.on('error', (error) => fail(causeOf(error)));
    request.on('response', (response: IncomingMessage) => {
      clearTimeout(timer);
      const { statusCode: status = 0, headers } = response;
      const certificate = secure ? certificateOf(response.socket as TLSSocket, url) : undefined;
      const header = (name: string) => {
        const value = headers[name];
        return Array.isArray(value) ? value[0] : value;
      };
      resolve({ kind: 'answer', status, header, certificate });
      request.destroy();
    });
    request.end();
  });
}

/** Addresses that a host name has here, or why there are none. Never rejects. */
export function resolveHost(
  host: string,
): Promise<{ readonly addresses: readonly string[] } | { readonly cause: string }> {
  return new Promise((resolve) => {
    const timer = setTimeout(
      () => resolve({ cause: `not resolved within ${lookupMsMax} ms` }),
      lookupMsMax,
    );
    lookupAll(host, (error, found) => {
      clearTimeout(timer);
      resolve(error === null ? { addresses: unique(found) } : { cause: causeOf(error) });
    });
  });
}

type AllFound = (error: NodeJS.ErrnoException | null, found: readonly LookupAddress[]) => void;

/** Names that end in `.localhost` are this machine, whatever the system says of them (RFC 6761, 6.3). */
function lookupAll(host: string, took: AllFound): void {
  if (/(?:^|\.)localhost\.?$/i.test(host)) took(null, [{ address: '127.0.0.1', family: 4 }]);
  else lookup(host.replace(/^\[|\]$/g, ''), { all: true }, took);
}

function lookupHere(
  host: string,
  options: object,
  took: (error: NodeJS.ErrnoException | null, found: never, family?: number) => void,
): void {
  lookupAll(host, (error, found) => {
    const [first] = found ?? [];
    const wantsAll = 'all' in options && options.all === true;
    if (error !== null || wantsAll) took(error, found as never);
    else took(null, first?.address as never, first?.family);
  });
}

function unique(found: readonly LookupAddress[]): readonly string[] {
  return [...new Set(found.map(({ address }) => address))];
}

function certificateOf(socket: TLSSocket, url: string): CertificateFacts {
  const certificate = socket.getPeerCertificate();
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const nameFault = checkServerIdentity(host, certificate);
  const { authorized, authorizationError } = socket;
  const fault = authorized ? undefined : String(authorizationError);
  return {
    untrusted: fault === 'ERR_TLS_CERT_ALTNAME_INVALID' ? undefined : fault,
    coversName: nameFault === undefined,
    validFrom: Date.parse(certificate.valid_from),
    validTo: Date.parse(certificate.valid_to),
  };
}

/** A code; messages may hold more than is to be told. */
function causeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
