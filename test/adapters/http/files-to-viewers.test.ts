import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../src/adapters/http/listen.ts';
import { createViewerApp } from '../../../src/adapters/http/viewer-app.ts';
import type { Answer } from '../../../src/agent/answer.ts';
import type { OriginStream } from '../../../src/agent/ports.ts';
import type { Viewing } from '../../../src/agent/viewing.ts';
import { createFakeLog } from '../../support/fake-log.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const part = new Uint8Array(64 * 1024).fill(7);

/** A viewer listener that answers everything with `answer`; gives its URL. */
async function serve(answer: Answer): Promise<string> {
  const viewing = { open: async () => answer } as unknown as Viewing;
  const log = createFakeLog();
  const clock = createVirtualClock();
  const app = createViewerApp({ viewing, nodeId: 'node-a', clock, log, trustedProxies: [] });
  const listener = await listen({ app, host: '127.0.0.1', port: 0, log });
  onTestFinished(() => listener.close());
  return `http://127.0.0.1:${listener.address.port}/ch1/1.ts`;
}

/** An origin's body of `parts` parts, counting what was taken of it; `closed` settles when it was given up. */
function body(parts: number, breaksAfter = Number.POSITIVE_INFINITY) {
  let close: () => void = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const taken = { parts: 0 };
  async function* produce() {
    try {
      for (; taken.parts < parts; taken.parts += 1) {
        if (taken.parts === breaksAfter) throw new Error('the origin broke off');
        yield part;
      }
    } finally {
      close();
    }
  }
  const file: OriginStream = {
    kind: 'stream',
    status: 200,
    headers: { 'content-type': 'video/mp2t', 'content-length': String(parts * part.length) },
    body: produce(),
    close,
  };
  return { file, taken, closed };
}

describe('a file on its way to a viewer', () => {
  it('comes whole, with long life where it never changes and none where it may', async () => {
    const url = await serve({ kind: 'file', file: body(3).file, immutable: true });
    const answer = await fetch(url);
    expect((await answer.arrayBuffer()).byteLength).toBe(3 * part.length);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('accept-ranges')).toBe('bytes');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('x-understudy-node')).toBe('node-a');
    const key = await fetch(await serve({ kind: 'file', file: body(1).file, immutable: false }));
    expect(key.headers.get('cache-control')).toBe('no-store');
    await key.arrayBuffer();
  });

  it('from memory comes with the status and headers of its range', async () => {
    const headers = { 'content-length': '2', 'content-range': 'bytes 1-2/9' };
    const bytes = Uint8Array.of(1, 2);
    const file = { kind: 'stored', status: 206, headers, bytes } as const;
    const answer = await fetch(await serve({ kind: 'file', file, immutable: true }));
    expect([answer.status, answer.headers.get('content-range')]).toEqual([206, 'bytes 1-2/9']);
    expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([1, 2]);
  });

  it('asked for by HEAD is given up at the origin, and its length told', async () => {
    const { file, taken, closed } = body(3);
    const url = await serve({ kind: 'file', file, immutable: true });
    const [answer] = (await once(request(url, { method: 'HEAD' }).end(), 'response')) as [
      IncomingMessage,
    ];
    answer.resume();
    await once(answer, 'end');
    await closed;
    expect(answer.headers['content-length']).toBe(String(3 * part.length));
    expect(taken.parts).toBe(0);
  });

  it('waits at the origin while the viewer takes nothing, and is given up when it hangs up', async () => {
    const { file, taken, closed } = body(10_000);
    const url = await serve({ kind: 'file', file, immutable: true });
    const [answer] = (await once(get(url), 'response')) as [IncomingMessage];
    answer.pause();
    let before = -1;
    while (before !== taken.parts) {
      before = taken.parts;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(taken.parts).toBeLessThan(1_000);
    answer.destroy();
    await closed;
  });

  it('that breaks off at the origin ends the connection short of its length', async () => {
    const url = await serve({ kind: 'file', file: body(5, 2).file, immutable: true });
    await expect(fetch(url).then((answer) => answer.arrayBuffer())).rejects.toThrow();
  });
});
