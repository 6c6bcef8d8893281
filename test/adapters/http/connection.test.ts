import { describe, expect, it } from 'vitest';
import { createObserver, observeConnection } from '../../../src/adapters/http/connection.ts';

function observe(parts: {
  remoteAddress?: string | undefined;
  encrypted?: boolean;
  headers?: Readonly<Record<string, string>>;
  trustedProxies?: readonly string[];
}) {
  const { headers = {}, ...rest } = parts;
  return observeConnection({
    remoteAddress: '10.0.0.1',
    encrypted: false,
    trustedProxies: [],
    ...rest,
    headers: (name) => headers[name],
  });
}

function addressBehind(forwarded: string, trustedProxies: readonly string[] = ['10.0.0.0/8']) {
  return observe({ headers: { 'x-forwarded-for': forwarded }, trustedProxies }).address;
}

describe('the address of a connection', () => {
  it('is the socket, whatever X-Forwarded-For says, as long as no proxy is trusted', () => {
    expect(addressBehind('203.0.113.9', [])).toBe('10.0.0.1');
  });

  it('is the socket when the socket is no trusted proxy', () => {
    expect(addressBehind('203.0.113.9', ['10.0.0.2/32', '192.168.0.0/16'])).toBe('10.0.0.1');
  });

  it('is the one a trusted proxy names', () => {
    expect(addressBehind('203.0.113.9')).toBe('203.0.113.9');
    expect(addressBehind('2001:db8::9')).toBe('2001:db8:0:0:0:0:0:9');
  });

  it('is the rightmost one that is no trusted proxy: what stands left of it anybody can write', () => {
    expect(addressBehind('198.51.100.1, 203.0.113.9, 10.0.0.7')).toBe('203.0.113.9');
  });

  it('is the first one when all are trusted', () => {
    expect(addressBehind('10.0.0.9, 10.0.0.8')).toBe('10.0.0.9');
  });

  it.each(['203.0.113.9:4711', '[2001:db8::9]:4711', '[2001:db8::9]', '::ffff:203.0.113.9'])(
    'is read from "%s" too',
    (forwarded) => {
      expect(['203.0.113.9', '2001:db8:0:0:0:0:0:9']).toContain(addressBehind(forwarded));
    },
  );

  it.each([
    '',
    ' ',
    ',',
    'unknown',
    '203.0.113.9, _hidden',
    '0x7f.1',
    '203.0.113.9,,',
    '[::1',
    '%00',
  ])('is the socket when the header is junk: "%s"', (forwarded) => {
    expect(addressBehind(forwarded)).toBe('10.0.0.1');
  });

  it('is the socket when the header is longer than the limit', () => {
    const padded = (length: number) => '203.0.113.9'.padStart(length);
    expect(addressBehind(padded(1024))).toBe('203.0.113.9');
    expect(addressBehind(padded(1025))).toBe('10.0.0.1');
  });

  it('is compared with ranges of its own version, mapped IPv6 being IPv4', () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const trustedProxies = ['fd00::/8', '10.0.0.0/8'];
    const from = (remoteAddress: string) =>
      observe({ remoteAddress, headers, trustedProxies }).address;
    expect(from('::ffff:10.0.0.1')).toBe('203.0.113.9');
    expect(from('fd12::1')).toBe('203.0.113.9');
    expect(from('fe12::1')).toBe('fe12::1');
  });

  it('is free of the link it was seen on', () => {
    expect(observe({ remoteAddress: 'fe80::1%eth0' }).address).toBe('fe80::1');
  });

  it('is empty when the socket is gone already', () => {
    expect(observe({ remoteAddress: undefined, trustedProxies: ['10.0.0.0/8'] }).address).toBe('');
  });

  it('trusts nobody for a range that cannot be read', () => {
    expect(addressBehind('203.0.113.9', ['ten dot something'])).toBe('10.0.0.1');
  });
});

describe('a connection', () => {
  it.each([
    [true, {}, true],
    [true, { 'x-forwarded-proto': 'http' }, true],
    [false, {}, false],
    [false, { 'x-forwarded-proto': 'http' }, false],
    [false, { 'x-forwarded-proto': 'https' }, true],
    [false, { 'x-forwarded-proto': ' HTTPS ' }, true],
    [false, { 'x-forwarded-proto': 'https, http' }, true],
    [false, { 'x-forwarded-proto': 'http, https' }, false],
    [false, { 'x-forwarded-proto': 'httpsx' }, false],
  ])('that is encrypted (%s) with %o is https: %s', (encrypted, headers, isHttps) => {
    expect(observe({ encrypted, headers }).isHttps).toBe(isHttps);
  });

  it('carries the User-Agent as it came', () => {
    expect(observe({ headers: { 'user-agent': 'okhttp/4.12.0' } }).userAgent).toBe('okhttp/4.12.0');
    expect(observe({}).userAgent).toBeUndefined();
  });
});

describe('the viewer of a connection', () => {
  const ask = (said: Record<string, string>) => (name: string) => said[name];
  const chrome = { 'user-agent': 'Chrome/156.0' };

  it('is observed once, however often the same is sent', () => {
    const observe = createObserver([]);
    const socket = { remoteAddress: '203.0.113.9' };
    const viewer = observe(socket, ask(chrome));
    expect(observe(socket, ask(chrome))).toBe(viewer);
    expect(observe({ ...socket }, ask(chrome))).not.toBe(viewer);
    expect(observe({ ...socket }, ask(chrome))).toEqual(viewer);
  });

  it.each([
    { 'user-agent': 'VLC/3.0.24' },
    { ...chrome, 'x-forwarded-proto': 'https' },
    { ...chrome, 'x-forwarded-for': '203.0.113.80' },
    {},
  ])('is another one when %j is sent', (said) => {
    const observe = createObserver(['127.0.0.0/8']);
    const socket = { remoteAddress: '127.0.0.1' };
    const before = observe(socket, ask(chrome));
    const after = observe(socket, ask(said));
    expect(after).not.toEqual(before);
    expect(observe(socket, ask(chrome))).toEqual(before);
  });

  it('is observed without a socket, too', () => {
    expect(createObserver([])(undefined, ask(chrome)).address).toBe('');
  });
});
