import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { checksum } from '../../src/adapters/system/checksum.ts';
import { createFingerprint } from '../../src/agent/fingerprint.ts';
import { LoginSlots } from '../../src/agent/login-slots.ts';
import { SessionNotes } from '../../src/agent/session-notes.ts';
import { Sessions } from '../../src/agent/sessions.ts';
import { testNow } from '../support/builders.ts';

const count = 100_000;
const bytesMax = 250;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function bytesUsed(): number {
  for (let time = 0; time < 3; time += 1) collect();
  return process.memoryUsage().heapUsed;
}

/** As many characters as 128 bits take in base64url, no two alike, each text with memory of its own. */
const idOf = (number: number) =>
  Buffer.from(number.toString(36).padStart(16, '0')).toString('base64url');

it.each([false, true])(
  'each of 100,000 sessions takes at most 250 bytes; with a login of its own: %s',
  (hasLogin) => {
    const before = bytesUsed();
    const sessions = new Sessions();
    for (let number = 0; number < count; number += 1)
      sessions.start(
        {
          ...{ id: idOf(number), stream: `ch${number % 200}`, kind: 'own', home: 'node-a' },
          ...{ family: 'browser', backups: ['node-b', 'node-c'] },
          login: hasLogin ? `login-${number}` : undefined,
        },
        testNow,
      );
    for (let number = 0; number < count; number += 1) sessions.touch(idOf(number), testNow);
    const each = (bytesUsed() - before) / count;
    expect(sessions.counts().own).toBe(count);
    expect(each).toBeGreaterThan(50);
    expect(each).toBeLessThanOrEqual(bytesMax);
  },
  60_000,
);

it('each of 100,000 slots of logins takes at most 300 bytes more', () => {
  const before = bytesUsed();
  const slots = new LoginSlots({
    ...{ scope: 'node', notes: new SessionNotes() },
    ...{ isReachable: () => false, fingerprint: createFingerprint(checksum) },
  });
  const holder = (number: number) => ({
    session: idOf(number),
    login: `login-${number}`,
    viewerKey: `203.0.113.1|browser|${number}`,
  });
  for (let number = 0; number < count; number += 1) slots.take(holder(number), testNow);
  const each = (bytesUsed() - before) / count;
  expect(slots.takenByOthers({ ...holder(7), session: 'mine', viewerKey: 'me' }, testNow)).toBe(1);
  expect(each).toBeGreaterThan(50);
  expect(each).toBeLessThanOrEqual(300);
}, 60_000);
