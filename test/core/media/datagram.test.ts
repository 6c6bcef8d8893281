import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { transportStreamOf } from '../../../src/core/media/datagram.ts';

const packets = (count: number) =>
  new Uint8Array(count * 188).map((_, at) => (at % 188 === 0 ? 0x47 : at & 0xff));

function joined(...parts: readonly (readonly number[] | Uint8Array)[]): Uint8Array {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

/** An RTP header with version 2 and payload type 33, but for what is said. */
function header(fields: { flags?: number; type?: number; more?: readonly number[] } = {}) {
  const { flags = 0x80, type = 33, more = [] } = fields;
  return [flags, type, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, ...more];
}

describe('the transport stream in a datagram', () => {
  it.each([
    ['a plain header', header(), []],
    ['a marker bit', header({ type: 0x80 | 33 }), []],
    ['a dynamic payload type', header({ type: 96 }), []],
    ['two contributing sources', header({ flags: 0x82, more: [1, 2, 3, 4, 5, 6, 7, 8] }), []],
    ['an extension', header({ flags: 0x90, more: [1, 2, 0, 1, 9, 9, 9, 9] }), []],
    ['padding', header({ flags: 0xa0 }), [0, 0, 0, 4]],
  ])('is what stands behind %s', (_, head, tail) => {
    for (const count of [1, 7])
      expect(transportStreamOf(joined(head, packets(count), tail))).toEqual(packets(count));
  });

  it.each([
    ['has no header', packets(7)],
    ['begins within a packet', packets(7).subarray(100)],
    ['is empty', new Uint8Array(0)],
    ['is a header and no more', joined(header())],
    ['has another version', joined(header({ flags: 0x40 }), packets(7))],
    ['carries something else', joined(header({ type: 95 }), packets(7))],
    ['ends within a packet', joined(header(), packets(7).subarray(0, -1))],
    ['loses step behind its first packet', joined(header(), packets(1), new Array(188).fill(0))],
    ['says it is longer than it is', joined(header({ flags: 0x90, more: [0, 0, 255, 255] }))],
  ])('is all of it when it %s', (_, datagram) => {
    expect(transportStreamOf(datagram)).toEqual(datagram);
  });

  it('is a part of it, whatever comes', () => {
    const property = fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const datagram = joined([0x80 | (bytes[0] ?? 0), 33], bytes);
      expect(transportStreamOf(datagram).length).toBeLessThanOrEqual(datagram.length);
    });
    fc.assert(property);
  });
});
