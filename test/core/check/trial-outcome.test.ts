import { describe, expect, it } from 'vitest';
import { readFollowed, readTrial } from '../../../src/core/check/trial-outcome.ts';

const origins = new Map([
  ['https://edge-b.example.net', 'node-b'],
  ['http://198.51.100.8:8080', 'node-b'],
]);
const redirect = (location: string | undefined) =>
  readTrial({ kind: 'answer', status: 302, location }, origins);

describe('a trial redirect', () => {
  it('is followed to where a node says it is, and nowhere else', () => {
    const url = 'https://edge-b.example.net/ch1/index.m3u8?pass=p';
    expect(redirect(url)).toEqual({ kind: 'follow', url, to: 'node-b' });
    expect(redirect('http://198.51.100.8:8080/x')).toMatchObject({ kind: 'follow' });
    for (const other of [
      'http://edge-b.example.net/x',
      'https://edge-b.example.net:8443/x',
      'https://edge-b.example.net.evil.example/x',
      'https://edge-b.example.net@evil.example/x',
    ])
      expect(redirect(other)).toEqual({ kind: 'elsewhere', host: new URL(other).host });
    expect(redirect('/ch1/index.m3u8')).toMatchObject({ kind: 'elsewhere' });
  });

  it('that is none says what came instead', () => {
    const answer = { kind: 'answer', status: 200, reason: 'own-viewer' } as const;
    expect(readTrial(answer, origins)).toEqual({
      ...{ kind: 'not-redirected', status: 200, reason: 'own-viewer' },
    });
    expect(redirect(undefined)).toMatchObject({ kind: 'not-redirected', status: 302 });
    expect(readTrial({ kind: 'silence', cause: 'ECONNREFUSED' }, origins)).toEqual({
      ...{ kind: 'untried', why: 'ECONNREFUSED' },
    });
  });

  it('that was followed is served by an agent with 200, or refused', () => {
    const of = (status: number, given = {}) =>
      readFollowed({ kind: 'answer', status, ...given }, 'node-b');
    expect(of(200, { node: 'node-b' })).toEqual({ kind: 'served', by: 'node-b' });
    expect(of(200)).toEqual({ kind: 'refused', to: 'node-b', cause: 'status 200' });
    expect(of(403, { reason: 'pass-signature' })).toEqual({
      ...{ kind: 'refused', to: 'node-b', cause: 'status 403, pass-signature' },
    });
    expect(readFollowed({ kind: 'silence', cause: 'CERT_HAS_EXPIRED' }, 'node-b')).toEqual({
      ...{ kind: 'refused', to: 'node-b', cause: 'CERT_HAS_EXPIRED' },
    });
  });
});
