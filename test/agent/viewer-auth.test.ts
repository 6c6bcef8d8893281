import { describe, expect, it } from 'vitest';
import { checksum } from '../../src/adapters/system/checksum.ts';
import type { AuthAnswer } from '../../src/agent/auth-ports.ts';
import { createFingerprint } from '../../src/agent/fingerprint.ts';
import { ViewerAuth } from '../../src/agent/viewer-auth.ts';
import { testNow } from '../support/builders.ts';
import { createFakeAuthority } from '../support/fake-authority.ts';
import { createFakeLog } from '../support/fake-log.ts';

const viewer = {
  ...{ token: 'secret-1', address: '203.0.113.1', stream: 'ch1', session: 's1' },
  protocol: 'hls',
} as const;

function createAuth(
  answer: () => AuthAnswer | Promise<AuthAnswer>,
  options: { cacheS?: number; failsOpen?: boolean } = {},
) {
  const authority = createFakeAuthority(answer);
  const log = createFakeLog();
  const auth = new ViewerAuth({
    ...{ authority, cacheS: 60, failsOpen: false, log, fingerprint: createFingerprint(checksum) },
    ...options,
  });
  const check = (question: object = {}, afterMs = 0) =>
    auth.check({ ...viewer, ...question }, { ...testNow, monoMs: testNow.monoMs + afterMs });
  return { authority, log, check };
}

const granted: AuthAnswer = { kind: 'granted', login: 'anna', sessionsMax: 2 };
const broken: AuthAnswer = { kind: 'unavailable', cause: 'the backend is down' };

describe('the check of a viewer', () => {
  it('asks once for all who ask the same at the same time', async () => {
    let settle: (answer: AuthAnswer) => void = () => {};
    const answer = new Promise<AuthAnswer>((resolve) => {
      settle = resolve;
    });
    const { authority, check } = createAuth(() => answer);
    const all = [check(), check({ session: 's2' }), check({ token: 'secret-2' })];
    settle(granted);
    expect(await Promise.all(all)).toEqual([granted, granted, granted]);
    expect(authority.asked.map(({ token }) => token)).toEqual(['secret-1', 'secret-2']);
  });

  it.each([
    [59_999, 1],
    [60_000, 2],
  ])('takes the answer from before after %i ms: %i questions in all', async (afterMs, count) => {
    const { authority, check } = createAuth(() => granted);
    await check();
    await check({}, afterMs);
    expect(authority.asked).toHaveLength(count);
  });

  it.each([
    ['another token', { token: 'secret-2' }],
    ['another address', { address: '203.0.113.2' }],
    ['another stream', { stream: 'ch2' }],
  ])('asks anew for %s', async (_, other) => {
    const { authority, check } = createAuth(() => granted);
    await check();
    await check(other);
    expect(authority.asked).toHaveLength(2);
  });

  it('believes an answer no longer than that says, and a denial for 10 s at most', async () => {
    const short = createAuth(() => ({ ...granted, validS: 5 }));
    await short.check();
    await short.check({}, 5_000);
    expect(short.authority.asked).toHaveLength(2);
    const denied = createAuth(() => ({ kind: 'denied' }));
    expect(await denied.check()).toEqual({ kind: 'refused', reason: 'auth-denied' });
    await denied.check({}, 9_999);
    expect(denied.authority.asked).toHaveLength(1);
    await denied.check({}, 10_000);
    expect(denied.authority.asked).toHaveLength(2);
  });

  it('asks each time when nothing is to be kept', async () => {
    const { authority, check } = createAuth(() => granted, { cacheS: 0 });
    await check();
    await check();
    expect(authority.asked).toHaveLength(2);
  });

  it('refuses without asking who brings no token, or one that is too long', async () => {
    const { authority, check } = createAuth(() => granted);
    expect(await check({ token: undefined })).toEqual({ kind: 'refused', reason: 'auth-missing' });
    expect(await check({ token: '' })).toEqual({ kind: 'refused', reason: 'auth-missing' });
    expect(await check({ token: 'x'.repeat(2_049) })).toEqual({
      ...{ kind: 'refused', reason: 'auth-denied' },
    });
    expect(authority.asked).toHaveLength(0);
    expect(await check({ token: 'x'.repeat(2_048) })).toEqual(granted);
  });

  it('without an answer lets in or not, as the operator chose, and says so once without the token', async () => {
    const closed = createAuth(() => broken);
    expect(await closed.check()).toEqual({ kind: 'refused', reason: 'auth-unavailable' });
    await closed.check();
    expect(closed.authority.asked).toHaveLength(2);
    expect(closed.log.lines).toHaveLength(1);
    expect(JSON.stringify(closed.log.lines)).not.toContain('secret-1');
    const open = createAuth(() => broken, { failsOpen: true });
    expect(await open.check()).toEqual({ kind: 'granted' });
  });

  it('keeps no more than 256 questions under way', async () => {
    const { authority, check } = createAuth(() => new Promise(() => {}));
    for (let at = 0; at < 256; at += 1) void check({ token: `t${at}` });
    expect(await check({ token: 'one more' })).toMatchObject({ reason: 'auth-unavailable' });
    expect(authority.asked).toHaveLength(256);
  });
});
