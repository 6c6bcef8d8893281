import { expect, it } from 'vitest';
import { announcedAddresses } from '../../../src/adapters/system/addresses.ts';

type Interfaces = NonNullable<Parameters<typeof announcedAddresses>[1]>;

function machineWith(...addresses: readonly string[]): Interfaces {
  return {
    eth0: addresses.map((address) => ({
      address,
      netmask: '',
      mac: '',
      internal: false,
      cidr: null,
      ...(address.includes(':')
        ? { family: 'IPv6' as const, scopeid: 0 }
        : { family: 'IPv4' as const }),
    })),
  };
}

const all = machineWith(
  '127.0.0.1',
  '::1',
  'fe80::1',
  '169.254.0.1',
  '10.0.0.7',
  'fd00::7',
  '2001:db8::7',
  '198.51.100.7',
  '198.51.100.7',
);

it('names public addresses before private ones, each once, loopback and link-local never', () => {
  expect(announcedAddresses({ host: '::', port: 8080 }, all)).toEqual([
    '198.51.100.7:8080',
    '[2001:db8:0:0:0:0:0:7]:8080',
    '10.0.0.7:8080',
    '[fd00:0:0:0:0:0:0:7]:8080',
  ]);
});

it('names no IPv6 address of a listener that has none', () => {
  expect(announcedAddresses({ host: '0.0.0.0', port: 80 }, all)).toEqual([
    '198.51.100.7:80',
    '10.0.0.7:80',
  ]);
});

it('names only the address that the listener is bound to, loopback too', () => {
  expect(announcedAddresses({ host: '127.0.0.2', port: 80 }, all)).toEqual(['127.0.0.2:80']);
  expect(announcedAddresses({ host: 'localhost', port: 80 }, all)).toEqual([]);
});

it('names eight at most', () => {
  const many = machineWith(...Array.from({ length: 20 }, (_, at) => `10.0.0.${at}`));
  expect(announcedAddresses({ host: '0.0.0.0', port: 80 }, many)).toHaveLength(8);
});

it('reads the addresses of this machine', () => {
  const addresses = announcedAddresses({ host: '::', port: 8080 });
  expect(addresses.every((address) => /^(\d+\.|\[).*:8080$/.test(address))).toBe(true);
  expect(addresses.join()).not.toMatch(/127\.0\.0\.1|::1\]/);
});
