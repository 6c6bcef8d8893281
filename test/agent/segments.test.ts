import { describe, expect, it } from 'vitest';
import type { OriginFault, OriginStream } from '../../src/agent/ports.ts';
import { Segments } from '../../src/agent/segments.ts';
import { contentOf } from '../support/live-rig.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

/** An origin's answer whose parts are sent one by one by the test. */
function aBody(options: { length?: number; status?: 200 | 206 } = {}) {
  const waiting: (() => void)[] = [];
  const parts: (string | 'end' | 'break')[] = [];
  let closed = false;
  const send = (...more: string[]) => {
    parts.push(...more);
    for (const wake of waiting.splice(0)) wake();
  };
  async function* body() {
    for (;;) {
      const part = parts.shift();
      if (part === undefined) await new Promise<void>((resolve) => waiting.push(resolve));
      else if (part === 'end') return;
      else if (part === 'break') throw new Error('reset');
      else yield Buffer.from(part);
    }
  }
  const stream: OriginStream = {
    kind: 'stream',
    status: options.status ?? 200,
    headers: {
      'content-type': 'video/mp2t',
      ...(options.length !== undefined && { 'content-length': `${options.length}` }),
    },
    body: body(),
    close: () => {
      closed = true;
    },
  };
  return { stream, send, isClosed: () => closed };
}

/** A request that counts and always gives `text`. */
function whole(text: string, log: string[] = [], length: number | undefined = text.length) {
  return async (range?: string): Promise<OriginStream> => {
    log.push(range ?? 'whole');
    const { stream, send } = aBody(length === undefined ? {} : { length });
    send(text, 'end');
    return stream;
  };
}

/** Virtual time that stands still unless a test says otherwise. */
const timers = createVirtualClock();

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a segment of a live window', () => {
  it('is asked for once, however many come at the same time or later', async () => {
    const segments = new Segments({ timers });
    const log: string[] = [];
    const request = whole('0123456789', log);
    const found = await Promise.all(
      Array.from({ length: 1000 }, () => segments.open(1, request, {})),
    );
    const contents = new Set(await Promise.all(found.map(contentOf)));
    expect(contents).toEqual(new Set(['0123456789']));
    const later = await segments.open(1, request, {});
    expect(later).toMatchObject({
      kind: 'stored',
      status: 200,
      headers: { 'content-length': '10' },
    });
    expect(log).toEqual(['whole']);
  });

  it('is one buffer, shared by all', async () => {
    const segments = new Segments({ timers });
    await contentOf(await segments.open(1, whole('0123456789'), {}));
    const [one, two] = [
      await segments.open(1, whole(''), {}),
      await segments.open(1, whole(''), {}),
    ];
    if (one.kind !== 'stored' || two.kind !== 'stored') throw new Error('not stored');
    expect(one.bytes.buffer).toBe(two.bytes.buffer);
  });

  it('reaches viewers while it is still coming', async () => {
    const segments = new Segments({ timers });
    const origin = aBody({ length: 6 });
    const first = await segments.open(1, async () => origin.stream, {});
    if (first.kind !== 'stream') throw new Error('not coming');
    const reading = first.body[Symbol.asyncIterator]();
    origin.send('abc');
    expect(Buffer.from((await reading.next()).value).toString()).toBe('abc');
    const second = await segments.open(1, whole('never'), {});
    origin.send('def', 'end');
    expect(await contentOf(second)).toBe('abcdef');
    expect(Buffer.from((await reading.next()).value).toString()).toBe('def');
    expect((await reading.next()).done).toBe(true);
    expect(origin.isClosed()).toBe(true);
  });

  it('comes whole for others when the viewer it came for goes away', async () => {
    const segments = new Segments({ timers });
    const origin = aBody({ length: 6 });
    const first = await segments.open(1, async () => origin.stream, {});
    if (first.kind === 'stream') first.close();
    origin.send('abcdef', 'end');
    expect(await contentOf(await segments.open(1, whole('never'), {}))).toBe('abcdef');
  });

  it.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=0-', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
  ])(
    'gives range %s from memory, whole already or not',
    async (range, status, content, contentRange) => {
      const segments = new Segments({ timers });
      for (const state of ['coming', 'whole']) {
        const found = await segments.open(1, whole('0123456789'), { range });
        expect(found, state).toMatchObject({ status, headers: { 'content-range': contentRange } });
        expect(await contentOf(found), state).toBe(content);
        await settled();
      }
    },
  );

  it('of unknown length is kept too; a range of it is asked of the origin until it is whole', async () => {
    const segments = new Segments({ timers });
    const log: string[] = [];
    const origin = aBody();
    const found = await segments.open(1, async () => origin.stream, {});
    const part = await segments.open(1, whole('cd', log), { range: 'bytes=2-3' });
    expect(await contentOf(part)).toBe('cd');
    expect(log).toEqual(['bytes=2-3']);
    origin.send('x'.repeat(300_000), 'y'.repeat(300_000), 'end');
    expect(await contentOf(found)).toHaveLength(600_000);
    expect(segments.bytes).toBe(600_000);
    expect(await segments.open(1, whole('', log), { range: 'bytes=-1' })).toMatchObject({
      kind: 'stored',
    });
  });

  it('tells its length once it is there', async () => {
    const lengths: number[] = [];
    const onComplete = (bytes: number) => void lengths.push(bytes);
    await contentOf(await new Segments({ timers }).open(1, whole('0123456789'), { onComplete }));
    await settled();
    expect(lengths).toEqual([10]);
  });

  it('that the origin refuses is refused to all who wait, and asked for again by the next', async () => {
    const segments = new Segments({ timers });
    const fault: OriginFault = { kind: 'fault', reason: 'origin-status', status: 404 };
    let asked = 0;
    const refuse = async () => {
      asked += 1;
      return fault;
    };
    const found = await Promise.all([1, 2, 3].map(() => segments.open(1, refuse, {})));
    expect(found).toEqual([fault, fault, fault]);
    expect(asked).toBe(1);
    expect(await contentOf(await segments.open(1, whole('ok'), {}))).toBe('ok');
    expect(segments.bytes).toBe(2);
  });

  it('that breaks off breaks off for its viewers, and is asked for again by the next', async () => {
    const segments = new Segments({ timers });
    const origin = aBody({ length: 6 });
    const found = await segments.open(1, async () => origin.stream, {});
    origin.send('abc', 'break');
    await expect(contentOf(found)).rejects.toThrow('broke off');
    expect(segments.bytes).toBe(0);
    expect(await contentOf(await segments.open(1, whole('abcdef'), {}))).toBe('abcdef');
  });

  it('that stops coming is waited for 5 s with each part, then breaks off, whatever still comes', async () => {
    const clock = createVirtualClock();
    const segments = new Segments({ timers: clock });
    const origin = aBody({ length: 9 });
    const content = contentOf(await segments.open(1, async () => origin.stream, {}));
    const broken = expect(content).rejects.toThrow('broke off');
    await clock.run(4_999);
    origin.send('abc');
    await clock.run(4_999);
    origin.send('def');
    await clock.run(4_999);
    expect(origin.isClosed()).toBe(false);
    await clock.run(1);
    await broken;
    expect(origin.isClosed()).toBe(true);
    expect(segments.bytes).toBe(0);
    origin.send('ghi', 'end');
    await clock.run(1);
    expect(await contentOf(await segments.open(1, whole('abcdefghi'), {}))).toBe('abcdefghi');
  });
});

describe('the budget', () => {
  const kept = async (segments: Segments, id: number, size: number) => {
    await contentOf(await segments.open(id, whole('x'.repeat(size)), {}));
    await settled();
    return (await segments.open(id, whole('y'), {})).kind === 'stored';
  };

  it.each([
    [39, true],
    [40, true],
    [41, false],
  ])('of 100 bytes with 60 taken has room for a segment of %d: %s', async (size, isKept) => {
    const segments = new Segments({ timers, segmentCacheBytesMax: 100 });
    await kept(segments, 1, 60);
    expect(await kept(segments, 2, size)).toBe(isKept);
    expect(segments.bytes).toBeLessThanOrEqual(100);
    expect(await kept(segments, 1, 60)).toBe(true);
  });

  it('counts what is still on its way', async () => {
    const segments = new Segments({ timers, segmentCacheBytesMax: 100 });
    await segments.open(1, async () => aBody({ length: 70 }).stream, {});
    expect(segments.bytes).toBe(70);
    expect(await kept(segments, 2, 31)).toBe(false);
  });

  it('makes room with what has left its window, longest ago first', async () => {
    const segments = new Segments({ timers, segmentCacheBytesMax: 100 });
    for (const id of [1, 2, 3]) await kept(segments, id, 30);
    segments.leave(2, 1000);
    segments.leave(1, 2000);
    expect(await kept(segments, 4, 30)).toBe(true);
    const log: string[] = [];
    for (const id of [1, 2, 3, 4]) await segments.open(id, whole(`${id}`, log), {});
    expect(log).toEqual(['whole']);
  });

  it('lets a segment through that does not fit, whole or by range, each viewer with a request of its own', async () => {
    const segments = new Segments({ timers, segmentCacheBytesMax: 5 });
    const log: string[] = [];
    const request = whole('0123456789', log);
    const found = await Promise.all([1, 2].map(() => segments.open(1, request, {})));
    expect(await Promise.all(found.map(contentOf))).toEqual(['0123456789', '0123456789']);
    expect(log).toHaveLength(2);
    await segments.open(1, request, { range: 'bytes=0-1' });
    expect(log.at(-1)).toBe('bytes=0-1');
    expect(segments.bytes).toBe(0);
  });

  it('gives a segment up whose length was not told and that turns out too large', async () => {
    const segments = new Segments({ timers, segmentCacheBytesMax: 1_000_000 });
    const origin = aBody();
    const found = await segments.open(1, async () => origin.stream, {});
    origin.send('x'.repeat(600_000), 'x'.repeat(600_000));
    await expect(contentOf(found)).rejects.toThrow('broke off');
    expect(segments.bytes).toBe(0);
    expect(origin.isClosed()).toBe(true);
    const next = await segments.open(1, whole('x'.repeat(1_200_000), [], undefined), {});
    expect(await contentOf(next)).toHaveLength(1_200_000);
  });

  it('is given back when a segment is forgotten, whole or on its way', async () => {
    const segments = new Segments({ timers });
    await kept(segments, 1, 60);
    const origin = aBody();
    const coming = await segments.open(2, async () => origin.stream, {});
    segments.forget(1);
    segments.forget(2);
    expect(segments.bytes).toBe(0);
    origin.send('x'.repeat(400_000), 'end');
    expect(await contentOf(coming)).toHaveLength(400_000);
    expect(segments.bytes).toBe(0);
  });
});
