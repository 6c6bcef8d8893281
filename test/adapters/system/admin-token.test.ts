import { expect, it } from 'vitest';
import { openAdminToken } from '../../../src/adapters/system/admin-token.ts';
import type { AdminTokenStore } from '../../../src/agent/admin-ports.ts';

function memoryStore(): AdminTokenStore & { writes: number } {
  let kept: Uint8Array | undefined;
  return {
    writes: 0,
    read: () => kept,
    write(hash) {
      kept = hash;
      this.writes += 1;
    },
  };
}

it('is made once, shown once and kept as a hash only', () => {
  const store = memoryStore();
  const first = openAdminToken({ configured: undefined, store, nowMs: 0 });
  const token = first.fresh ?? '';
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(first.accepts(token)).toBe(true);
  expect(store.read()).toHaveLength(32);
  expect(Buffer.from(store.read() ?? []).toString('base64url')).not.toBe(token);

  const later = openAdminToken({ configured: undefined, store, nowMs: 1 });
  expect(later.fresh).toBeUndefined();
  expect(later.accepts(token)).toBe(true);
  expect(store.writes).toBe(1);
});

it.each(['', 'x', 'configured-token-1 ', 'configured-token-2'])('accepts no other: %j', (other) => {
  const { accepts } = openAdminToken({
    configured: 'configured-token-1',
    store: memoryStore(),
    nowMs: 0,
  });
  expect(accepts('configured-token-1')).toBe(true);
  expect(accepts(other)).toBe(false);
});

it('that is configured counts instead of the kept one, and is not kept', () => {
  const store = memoryStore();
  const { fresh = '' } = openAdminToken({ configured: undefined, store, nowMs: 0 });
  const { accepts } = openAdminToken({ configured: 'configured-token-1', store, nowMs: 0 });
  expect(accepts(fresh)).toBe(false);
  expect(store.writes).toBe(1);
});
