import { describe, expect, it } from 'vitest';
import type { CertificateFacts, SiteFacts } from '../../../src/core/check/facts.ts';
import { judgeSites } from '../../../src/core/check/judge-sites.ts';

const nowMs = 1_800_000_000_000;
const dayMs = 86_400_000;

function certificate(given: Partial<CertificateFacts> = {}): CertificateFacts {
  return { coversName: true, validFrom: nowMs - 30 * dayMs, validTo: nowMs + 60 * dayMs, ...given };
}

function site(given: Partial<SiteFacts> = {}): SiteFacts {
  return {
    node: 'node-a',
    base: 'https://edge-a.example.net',
    isDeclared: true,
    addresses: [{ text: '198.51.100.7', class: 'public' }],
    listener: { kind: 'answers', node: 'node-a' },
    certificate: certificate(),
    ...given,
  };
}

const codes = (...sites: SiteFacts[]) => judgeSites(sites, nowMs).map(({ code }) => code);

describe('a node where viewers reach it', () => {
  it('is fine with a public name of its own, a good certificate and itself behind it', () => {
    expect(codes(site())).toEqual([]);
  });

  it.each([
    ['public-url-missing', { isDeclared: false }],
    ['public-url-missing', { base: undefined, isDeclared: false, listener: undefined }],
    ['name-unresolved', { addresses: undefined, unresolved: 'ENOTFOUND', listener: undefined }],
    ['name-unresolved', { addresses: [], listener: undefined }],
    ['viewer-listener-silent', { listener: { kind: 'silent', cause: 'ECONNREFUSED' } }],
    ['viewer-listener-not-agent', { listener: { kind: 'answers' } }],
    ['viewer-listener-other-node', { listener: { kind: 'answers', node: 'node-b' } }],
    ['plain-http', { base: 'http://edge-a.example.net', certificate: undefined }],
    ['certificate-untrusted', { certificate: certificate({ untrusted: 'SELF_SIGNED' }) }],
    ['certificate-name', { certificate: certificate({ coversName: false }) }],
  ] as const)('is found %s', (code, given) => {
    expect(codes(site(given as Partial<SiteFacts>))).toEqual([code]);
  });

  it.each(['private', 'loopback', 'link-local', 'unusable'] as const)(
    'whose name leads to a %s address is found, once for each address',
    (kind) => {
      const addresses = [
        { text: '198.51.100.7', class: 'public' as const },
        { text: '10.0.0.1', class: kind },
        { text: '10.0.0.2', class: kind },
      ];
      const found = judgeSites([site({ addresses })], nowMs);
      expect(found.map(({ code }) => code)).toEqual(['address-not-public', 'address-not-public']);
      expect(found[0]?.text).toBe(`edge-a.example.net of node-a is 10.0.0.1: ${kind}`);
    },
  );

  it('is told that an address is no name', () => {
    const of = (host: string, text: string) =>
      codes(site({ base: `https://${host}`, addresses: [{ text, class: 'public' }] }));
    expect(of('198.51.100.7', '198.51.100.7')).toEqual(['host-is-address']);
    expect(of('[2001:db8::7]', '2001:db8::7')).toEqual(['host-is-address']);
  });

  it('shares its address with no other node', () => {
    const other = { node: 'node-b', listener: { kind: 'answers', node: 'node-b' } } as const;
    const found = judgeSites([site(), site(other)], nowMs);
    expect(found.map(({ code, text }) => [code, text])).toEqual([
      ['address-shared', 'node-a, node-b are all at 198.51.100.7'],
    ]);
    const apart = { ...other, addresses: [{ text: '198.51.100.8', class: 'public' as const }] };
    expect(codes(site(), site(apart))).toEqual([]);
  });
});

describe('a certificate', () => {
  const left = (leftMs: number, livesMs = 90 * dayMs) =>
    codes(
      site({
        certificate: certificate({
          validFrom: nowMs + leftMs - livesMs,
          validTo: nowMs + leftMs,
        }),
      }),
    );

  it('of 90 days is about to expire with less than 14 days left', () => {
    expect(left(14 * dayMs - 1)).toEqual(['certificate-expires-soon']);
    expect(left(14 * dayMs)).toEqual([]);
    expect(left(14 * dayMs + 1)).toEqual([]);
  });

  it('that lives shorter than 56 days is so with less than a quarter left', () => {
    expect(left(1.5 * dayMs - 1, 6 * dayMs)).toEqual(['certificate-expires-soon']);
    expect(left(1.5 * dayMs, 6 * dayMs)).toEqual([]);
  });

  it('has expired at its end and not before', () => {
    expect(left(0)).toEqual(['certificate-expired']);
    expect(left(1)).toEqual(['certificate-expires-soon']);
  });

  it('is valid from its beginning on', () => {
    const from = (validFrom: number) => codes(site({ certificate: certificate({ validFrom }) }));
    expect(from(nowMs)).toEqual([]);
    expect(from(nowMs + 1)).toEqual(['certificate-not-yet-valid']);
  });

  it('that has expired is not called untrusted as well', () => {
    const expired = certificate({ validTo: nowMs - 1, untrusted: 'CERT_HAS_EXPIRED' });
    expect(codes(site({ certificate: expired }))).toEqual(['certificate-expired']);
  });
});
