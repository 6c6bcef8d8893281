import { expect, it } from 'vitest';
import { dashEntryFault, originEntryFault } from '../../../src/core/stream/origin-entry.ts';
import { originPlace } from '../../../src/core/stream/origin-paths.ts';

it.each([
  'http://127.0.0.1:8888/ch1/index.m3u8',
  'https://packager.example/live/ch1.m3u8?token=x',
  'http://[::1]/a.m3u8',
  '/srv/hls/ch1',
  'file:///srv/hls/ch1/index.m3u8',
  `/${'d'.repeat(1999)}`,
])('%s can be an entry, and has a place', (entry) => {
  expect(originEntryFault(entry)).toBeUndefined();
  expect(originPlace(entry, 'index.m3u8')).toBeDefined();
});

it.each([
  ['', 'must have 1 to 2000 characters'],
  [`/${'d'.repeat(2000)}`, 'must have 1 to 2000 characters'],
  ['hls/ch1', 'must be an http(s) URL'],
  ['ftp://127.0.0.1/ch1', 'must be an http(s) URL'],
  ['http://', 'must be an http(s) URL'],
  ['http://admin:hunter2@127.0.0.1/ch1.m3u8', 'must not hold a user name'],
  ['http://127.0.0.1/ch1.m3u8#x', 'must not have a fragment'],
  ['file://host/srv/ch1', 'without host or query'],
  ['file:///srv/ch1?x', 'without host or query'],
  ['/srv/../etc', 'must not have ".."'],
  ['/srv/\nch1', 'must not contain control characters'],
])('%j cannot: it %s', (entry, fault) => {
  expect(originEntryFault(entry)).toContain(fault);
});

it.each([
  'udp://239.1.2.3:5000',
  'udp://@239.1.2.3:5000',
  'udp://192.0.2.7@232.1.2.3:5000?interface=eth0',
  'udp://127.0.0.1:5000/',
  'udp://[ff3e::1]:5000?interface=eth0.7',
])('%s can be an HLS entry, which the agent packages, and no MPD', (entry) => {
  expect(originEntryFault(entry)).toBeUndefined();
  expect(dashEntryFault(entry)).toContain('must be an http(s) URL');
});

it.each([
  ['udp://239.1.2.3:5000\n', 'must not contain control characters'],
  [`udp://239.1.2.3:5000?interface=${'x'.repeat(2000)}`, 'must have 1 to 2000 characters'],
  ['udp://239.1.2.3', 'must have a port'],
])('%j cannot be a feed: it %s', (entry, fault) => {
  expect(originEntryFault(entry)).toContain(fault);
});
