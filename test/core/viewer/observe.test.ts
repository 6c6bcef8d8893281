import { describe, expect, it } from 'vitest';
import { observeViewer } from '../../../src/core/viewer/observe.ts';

const connection = { address: '203.0.113.9', isHttps: false, userAgent: 'okhttp/4.12.0' };

describe('a viewer', () => {
  it('is what its connection tells, and no more', () => {
    expect(observeViewer(connection)).toEqual({
      address: '203.0.113.9',
      isPublic: true,
      isHttps: false,
      family: 'android',
      followsBackups: true,
      key: expect.stringMatching(/^203\.0\.113\.9\|[\da-z]{1,7}$/),
    });
  });

  it.each([
    ['203.0.113.9', true],
    ['2a00:1450:4001::200e', true],
    ['::ffff:203.0.113.9', true],
    ['10.1.2.3', false],
    ['::ffff:10.1.2.3', false],
    ['100.64.0.1', false],
    ['127.0.0.1', false],
    ['::1', false],
    ['fe80::1', false],
    ['fd00::1', false],
    ['0.0.0.0', false],
    ['', false],
    ['nonsense', false],
  ])('at "%s" is public: %s', (address, isPublic) => {
    expect(observeViewer({ ...connection, address }).isPublic).toBe(isPublic);
  });

  it('has one address whether the socket says it in IPv4 or mapped into IPv6', () => {
    const plain = observeViewer(connection);
    expect(observeViewer({ ...connection, address: '::ffff:203.0.113.9' })).toEqual(plain);
  });

  it('is told by its key from another player at the same address and from another address', () => {
    const keys = [
      connection,
      { ...connection, userAgent: 'okhttp/4.12.1' },
      { ...connection, userAgent: undefined },
      { ...connection, address: '203.0.113.10' },
    ].map((facts) => observeViewer(facts).key);
    expect(new Set(keys).size).toBe(4);
  });

  it('keeps a short key however long its User-Agent is', () => {
    const { key } = observeViewer({ ...connection, userAgent: 'x'.repeat(10_000) });
    expect(key.length).toBeLessThan(20);
  });
});
