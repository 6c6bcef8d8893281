import { expect, it } from 'vitest';
import { streamNameFault } from '../../../src/core/stream/stream-name.ts';

it.each(['ch1', 'sport/hd', 'Первый канал', 'a.b~c', '...', 'n'.repeat(200)])(
  '%j can name a stream',
  (name) => {
    expect(streamNameFault(name)).toBeUndefined();
  },
);

it.each([
  ['', 'must have 1 to 200 characters'],
  ['n'.repeat(201), 'must have 1 to 200 characters'],
  ['/ch1', 'must not begin or end with "/"'],
  ['ch1/', 'must not begin or end with "/"'],
  ['a//b', 'must not begin or end with "/"'],
  ['.', 'must not have "." or ".."'],
  ['a/../b', 'must not have "." or ".."'],
  ['~root', 'must not have "~"'],
  ['a/~b', 'must not have "~"'],
  ['a?b', 'must not contain'],
  ['a#b', 'must not contain'],
  ['a%2Fb', 'must not contain'],
  ['a\\b', 'must not contain'],
  ['a\nb', 'must not contain'],
  ['a\u007fb', 'must not contain'],
  ['a\u2028b', 'must not contain'],
  ['\ud800', 'must not contain'],
])('%j cannot: it %s', (name, fault) => {
  expect(streamNameFault(name)).toContain(fault);
});
