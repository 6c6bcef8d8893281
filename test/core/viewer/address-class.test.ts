import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { type AddressClass, readAddress } from '../../../src/core/viewer/address-class.ts';

describe('the class of an address', () => {
  it.each<[string, AddressClass]>([
    ['0.0.0.0', 'unusable'],
    ['1.1.1.1', 'public'],
    ['9.255.255.255', 'public'],
    ['10.0.0.0', 'private'],
    ['10.255.255.255', 'private'],
    ['11.0.0.0', 'public'],
    ['100.63.255.255', 'public'],
    ['100.64.0.0', 'private'],
    ['100.127.255.255', 'private'],
    ['100.128.0.0', 'public'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.255', 'loopback'],
    ['128.0.0.0', 'public'],
    ['169.253.255.255', 'public'],
    ['169.254.0.1', 'link-local'],
    ['172.15.255.255', 'public'],
    ['172.16.0.0', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.0', 'public'],
    ['192.0.0.8', 'private'],
    ['192.0.2.1', 'public'],
    ['192.168.0.1', 'private'],
    ['192.169.0.0', 'public'],
    ['198.17.255.255', 'public'],
    ['198.18.0.0', 'private'],
    ['198.20.0.0', 'public'],
    ['198.51.100.7', 'public'],
    ['203.0.113.9', 'public'],
    ['223.255.255.255', 'public'],
    ['224.0.0.1', 'unusable'],
    ['255.255.255.255', 'unusable'],
    ['::', 'unusable'],
    ['::1', 'loopback'],
    ['::2', 'unusable'],
    ['::ffff:10.0.0.1', 'private'],
    ['::ffff:8.8.8.8', 'public'],
    ['::FFFF:7f00:1', 'loopback'],
    ['64:ff9b::8.8.8.8', 'public'],
    ['64:ff9b::10.1.2.3', 'private'],
    ['64:ff9b:1::1', 'private'],
    ['100::1', 'unusable'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'public'],
    ['2001:2::1', 'private'],
    ['2001:20::1', 'unusable'],
    ['2001:db8::7', 'public'],
    ['2002:c0a8:101::1', 'private'],
    ['2002:808:808::1', 'public'],
    ['2a00:1450:4001::200e', 'public'],
    ['3fff::1', 'public'],
    ['4000::1', 'unusable'],
    ['5f00::1', 'unusable'],
    ['fbff::1', 'unusable'],
    ['fc00::1', 'private'],
    ['fdff::1', 'private'],
    ['fe80::1', 'link-local'],
    ['febf::1', 'link-local'],
    ['fec0::1', 'private'],
    ['ff02::1', 'unusable'],
  ])('of %s is %s', (text, expected) => {
    expect(readAddress(text)?.class).toBe(expected);
  });

  it('agrees with ipaddr.js on IPv4 addresses', () => {
    fc.assert(
      fc.property(anIPv4(), (text) => {
        expect(readAddress(text)?.class).toBe(classByLibrary(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('agrees with ipaddr.js on IPv6 addresses', () => {
    fc.assert(
      fc.property(anIPv6(), (text) => {
        expect(readAddress(text)?.class).toBe(classByLibrary(text));
      }),
      { numRuns: 4000 },
    );
  });
});

describe('an address text', () => {
  it('is the same for every spelling of one address', () => {
    fc.assert(
      fc.property(plainIPv6(), (text) => {
        const address = ipaddr.IPv6.parse(text);
        const texts = [text, text.toUpperCase(), address.toString(), address.toNormalizedString()];
        expect(new Set(texts.map((spelling) => readAddress(spelling)?.text)).size).toBe(1);
        expect(readAddress(text)?.text).toBe(ipaddr.process(text).toNormalizedString());
      }),
    );
  });

  it('of an IPv4-mapped address is the IPv4 address', () => {
    expect(readAddress('::ffff:203.0.113.9')).toEqual({
      text: '203.0.113.9',
      version: 4,
      class: 'public',
    });
  });

  it.each([
    '',
    'localhost',
    'node-a.example.net',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '0x7f.0.0.1',
    '2130706433',
    ' 1.2.3.4',
    '1.2.3.4:80',
    '[::1]',
    'fe80::1%eth0',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4::5:6:7:8',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '::12345',
    '::g',
    `::${'0'.repeat(50)}1`,
  ])('that is none is not read: "%s"', (text) => {
    expect(readAddress(text)).toBeUndefined();
  });
});

/** Any address, and often one at the edge of a special range. */
function anIPv4() {
  const edge = fc.constantFrom(0, 1, 2, 9, 10, 16, 31, 63, 64, 100, 113, 127, 128, 168, 169, 172);
  const octet = fc.oneof(fc.integer({ min: 0, max: 255 }), edge);
  const first = fc.oneof(
    octet,
    fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 224, 240),
  );
  return fc.tuple(first, octet, octet, octet).map((octets) => octets.join('.'));
}

/** Without `::1.2.3.4`, which ipaddr.js takes for IPv4-mapped although RFC 4291 has another use for it. */
function plainIPv6() {
  return fc.ipV6().filter((text) => !/^::[\d.]+$/.test(text));
}

/** Any address, and mostly one inside or beside a special range. */
function anIPv6() {
  const start = fc.constantFrom(
    ...[
      '::',
      '::1',
      '::ffff:0:0',
      '::ffff:0:0:0',
      'fe80::',
      'fec0::',
      'fc00::',
      'fdff::',
      'ff02::',
    ],
    ...['64:ff9b::', '64:ff9b:0:0:1::', '64:ff9b:1::', '64:ff9b:2::', '100::', '100:0:0:1::'],
    ...[
      '2002::',
      '2003::',
      '2001::',
      '2001:1::',
      '2001:2::',
      '2001:2:1::',
      '2001:3::',
      '2001:1ff::',
    ],
    ...[
      '2001:4:112::',
      '2001:10::',
      '2001:2f::',
      '2001:30::',
      '2001:40::',
      '2001:200::',
      '2001:db8::',
    ],
    ...[
      '2620:4f:8000::',
      '3fff::',
      '3fff:fff::',
      '3fff:1000::',
      '4000::',
      '5f00::',
      'fbff::',
      'fe00::',
    ],
  );
  const noise = fc.tuple(
    fc.integer({ min: 0, max: 8 }),
    fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }),
  );
  return fc.tuple(start, noise).map(([text, [kept, groups]]) => {
    const parts = ipaddr.IPv6.parse(text).parts;
    return new ipaddr.IPv6([...parts.slice(0, kept), ...groups.slice(kept)]).toString();
  });
}

/** ipaddr.js names ranges; this is what each of its names means to us. */
const byRange: Readonly<Record<string, AddressClass>> = {
  unicast: 'public',
  as112: 'public',
  as112v6: 'public',
  amt: 'public',
  teredo: 'public',
  private: 'private',
  carrierGradeNat: 'private',
  uniqueLocal: 'private',
  deprecatedSiteLocal: 'private',
  benchmarking: 'private',
  loopback: 'loopback',
  linkLocal: 'link-local',
  unspecified: 'unusable',
  multicast: 'unusable',
  broadcast: 'unusable',
  discard: 'unusable',
  rfc6145: 'unusable',
  segmentRouting: 'unusable',
  deprecatedOrchid: 'unusable',
  orchid2: 'unusable',
  droneRemoteIdProtocolEntityTags: 'unusable',
};

/** What its `reserved` and `rfc6052` lump together. */
const finer: readonly [string, AddressClass][] = [
  ['192.0.0.0/24', 'private'],
  ['192.0.2.0/24', 'public'],
  ['192.88.99.0/24', 'public'],
  ['198.18.0.0/15', 'private'],
  ['198.51.100.0/24', 'public'],
  ['203.0.113.0/24', 'public'],
  ['240.0.0.0/4', 'unusable'],
  ['2001::/23', 'public'],
  ['2001:db8::/32', 'public'],
  ['3fff::/20', 'public'],
  ['64:ff9b:1::/48', 'private'],
];

function classByLibrary(text: string): AddressClass | undefined {
  const address = ipaddr.process(text);
  const bytes = address.toByteArray();
  const range: string = address.range();
  if (range === '6to4') {
    return classByLibrary(bytes.slice(2, 6).join('.'));
  }
  for (const [cidr, expected] of finer) {
    const [base, bits] = ipaddr.parseCIDR(cidr);
    if (
      ['reserved', 'rfc6052'].includes(range) &&
      base.kind() === address.kind() &&
      address.match(base, bits)
    ) {
      return expected;
    }
  }
  if (range === 'rfc6052') {
    return classByLibrary(bytes.slice(12).join('.'));
  }
  // Outside of 2000::/3 nothing was ever handed out (RFC 4291), which the library still calls unicast.
  if (range === 'unicast' && address.kind() === 'ipv6' && ((bytes[0] ?? 0) & 0xe0) !== 0x20) {
    return 'unusable';
  }
  return byRange[range];
}
