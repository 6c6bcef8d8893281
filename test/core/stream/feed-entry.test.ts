import { describe, expect, it } from 'vitest';
import { isFeedEntry, readUdpFeed } from '../../../src/core/stream/feed-entry.ts';

describe('a feed by UDP', () => {
  it.each([
    ['udp://127.0.0.1:5000', { address: '127.0.0.1', port: 5000, isMulticast: false }],
    ['udp://0.0.0.0:65535/', { address: '0.0.0.0', port: 65_535, isMulticast: false }],
    ['udp://[::1]:1', { address: '::1', port: 1, isIpv6: true, isMulticast: false }],
    ['udp://223.255.255.255:1', { isMulticast: false }],
    ['udp://224.0.0.0:1', { isMulticast: true, isIpv6: false, source: undefined }],
    ['udp://239.255.255.255:1', { isMulticast: true }],
    ['udp://240.0.0.0:1', { isMulticast: false }],
    ['udp://@239.1.2.3:5000', { isMulticast: true, source: undefined }],
    ['udp://192.0.2.7@232.1.2.3:5000', { address: '232.1.2.3', source: '192.0.2.7' }],
    ['udp://192.0.2.7@10.0.0.1:5000', { isMulticast: false, source: '192.0.2.7' }],
    ['udp://[2001:DB8::7]@[ff3e::1]:5000', { address: 'ff3e::1', source: '2001:db8::7' }],
    ['udp://239.1.2.3:5000?interface=127.0.0.1', { interface: '127.0.0.1' }],
    ['udp://239.1.2.3:5000?interface=bond0.100@x', { interface: 'bond0.100@x' }],
    ['UDP://239.1.2.3:5000', { isMulticast: true }],
  ])('is read from %s', (entry, feed) => {
    expect(readUdpFeed(entry)).toMatchObject(feed);
  });

  it.each([
    ['udp://', 'of the form'],
    ['udp://encoder.example:5000', 'an address and no name'],
    ['udp://256.0.0.1:5000', 'an address and no name'],
    ['udp://10.0.0.01:5000', 'an address and no name'],
    ['udp://10.0.0:5000', 'an address and no name'],
    ['http://127.0.0.1:5000', 'of the form'],
    ['udp://239.1.2.3', 'a port from 1 to 65535'],
    ['udp://239.1.2.3:0', 'a port from 1 to 65535'],
    ['udp://239.1.2.3:65536', 'of the form'],
    ['udp://239.1.2.3:5000/ch1', 'of the form'],
    ['udp://239.1.2.3:5000#x', 'of the form'],
    ['udp://192.0.2.7:secret@239.1.2.3:5000', 'an address of the same kind'],
    ['udp://239.1.2.3:5000?pkt_size=1316', 'no query but "interface"'],
    ['udp://239.1.2.3:5000?interface=', 'no query but "interface"'],
    ['udp://239.1.2.3:5000?interface=eth0&x=1', 'no query but "interface"'],
    ['udp://127.0.0.1:5000?interface=lo', 'with a multicast group only'],
    ['udp://encoder@239.1.2.3:5000', 'an address of the same kind'],
    ['udp://[2001:db8::7]@239.1.2.3:5000', 'an address of the same kind'],
    ['udp://192.0.2.7@[ff3e::1]:5000', 'an address of the same kind'],
  ])('is not read from %s: it must be or have %s', (entry, fault) => {
    expect(readUdpFeed(entry)).toContain(fault);
    expect(readUdpFeed(entry)).not.toMatch(/secret|encoder/);
  });
});

describe('whether the agent packages an entry itself', () => {
  const isFifo = (path: string) => path === '/srv/a b';

  it.each([
    ['udp://239.1.2.3:5000', true],
    ['/srv/a b', true],
    ['file:///srv/a%20b', true],
    ['/srv/other', false],
    ['file:///srv/other', false],
    ['file:///srv/%ff', false],
    ['file://host/srv/a%20b', false],
    ['http://127.0.0.1/srv/a%20b', false],
    ['', false],
  ])('%s: %s', (entry, expected) => {
    expect(isFeedEntry(entry, isFifo)).toBe(expected);
  });
});
