import { describe, expect, it } from 'vitest';
import { type SessionStart, Sessions } from '../../src/agent/sessions.ts';
import type { Now } from '../../src/core/time.ts';
import { testNow } from '../support/builders.ts';

const activeS = 180;
const sessionsMax = 200_000;

function start(id: string, more: Partial<SessionStart> = {}): SessionStart {
  return {
    id,
    stream: 'ch1',
    kind: 'own',
    home: 'node-a',
    family: 'browser',
    backups: ['node-b', 'node-c'],
    ...more,
  };
}

function later(seconds: number): Now {
  return {
    wallMs: testNow.wallMs + seconds * 1000,
    monoMs: testNow.monoMs + seconds * 1000,
  };
}

describe('a session', () => {
  it('shows what it was started with, and when it was seen', () => {
    const sessions = new Sessions();
    sessions.start(start('a', { login: 'anna' }), testNow);
    expect(sessions.get('a')).toEqual({
      ...start('a', { login: 'anna' }),
      startedAt: testNow.wallMs,
      bytes: 0,
      lastSeenAt: testNow.wallMs,
    });
    sessions.touch('a', later(7));
    sessions.expire(later(9));
    expect(sessions.get('a')?.lastSeenAt).toBe(later(7).wallMs);
    expect(sessions.get('b')).toBeUndefined();
  });

  it.each([
    [activeS - 1, true],
    [activeS, true],
    [activeS + 1, false],
  ])('that was silent for %i s: active is %s', (seconds, isActive) => {
    const sessions = new Sessions();
    sessions.start(start('a'), testNow);
    expect(sessions.isActive('a', later(seconds))).toBe(isActive);
    expect(sessions.touch('a', later(seconds))).toBe(isActive);
    sessions.expire(later(seconds));
    expect(sessions.counts().own).toBe(isActive ? 1 : 0);
  });

  it('stays active as long as it is seen, whatever the wall clock does', () => {
    const sessions = new Sessions();
    sessions.start(start('a'), testNow);
    for (let seconds = 0; seconds < 3_600; seconds += activeS) {
      const { monoMs } = later(seconds);
      expect(sessions.touch('a', { monoMs, wallMs: seconds % 2 ? 0 : 9e12 })).toBe(true);
    }
    expect(sessions.touch('b', testNow)).toBe(false);
  });

  it('is active on its own stream only', () => {
    const sessions = new Sessions();
    sessions.start(start('a'), testNow);
    expect(sessions.isActive('a', testNow, 'ch1')).toBe(true);
    expect(sessions.isActive('a', testNow, 'ch2')).toBe(false);
  });

  it('that opens again is the same one, and begins anew on another stream or after it ended', () => {
    const sessions = new Sessions();
    sessions.start(start('a'), testNow);
    sessions.start(start('a', { backups: ['node-c'] }), later(100));
    expect(sessions.get('a')).toMatchObject({
      startedAt: testNow.wallMs,
      lastSeenAt: later(100).wallMs,
      backups: ['node-c'],
    });
    sessions.start(start('a', { stream: 'ch2' }), later(110));
    expect(sessions.get('a')?.startedAt).toBe(later(110).wallMs);
    sessions.start(start('a', { stream: 'ch2' }), later(111 + activeS));
    expect(sessions.get('a')?.startedAt).toBe(later(111 + activeS).wallMs);
    expect(sessions.counts()).toEqual({ own: 1, backup: 0 });
  });

  it('can be ended once', () => {
    const sessions = new Sessions();
    sessions.start(start('a', { kind: 'backup' }), testNow);
    expect(sessions.end('a')).toBe(true);
    expect(sessions.end('a')).toBe(false);
    expect(sessions.counts()).toEqual({ own: 0, backup: 0 });
    expect(sessions.isActive('a', testNow)).toBe(false);
  });
});

describe('sessions', () => {
  it('are counted by kind, through starts, changes of kind and ends', () => {
    const sessions = new Sessions();
    for (const id of ['a', 'b', 'c']) sessions.start(start(id), testNow);
    sessions.start(start('b', { kind: 'backup' }), testNow);
    sessions.start(start('d', { kind: 'backup' }), testNow);
    expect(sessions.counts()).toEqual({ own: 2, backup: 2 });
    sessions.touch('a', later(100));
    sessions.expire(later(activeS + 1));
    expect(sessions.counts()).toEqual({ own: 1, backup: 0 });
  });

  it('are listed by page and filter, longest idle first', () => {
    const sessions = new Sessions();
    for (let index = 0; index < 6; index += 1) {
      sessions.start(
        start(`s${index}`, {
          stream: index < 4 ? 'ch1' : 'ch2',
          kind: index % 2 ? 'backup' : 'own',
          home: index % 2 ? 'node-b' : 'node-a',
        }),
        later(index),
      );
    }
    sessions.touch('s0', later(9));
    const ids = (page: Parameters<Sessions['list']>[0]) => {
      const { total, sessions: listed } = sessions.list(page);
      return [total, ...listed.map(({ id }) => id)];
    };
    expect(ids({ offset: 0, limit: 3 })).toEqual([6, 's1', 's2', 's3']);
    expect(ids({ offset: 5, limit: 3 })).toEqual([6, 's0']);
    expect(ids({ offset: 9, limit: 3 })).toEqual([6]);
    expect(ids({ offset: 1, limit: 9, filter: { stream: 'ch1' } })).toEqual([4, 's2', 's3', 's0']);
    expect(ids({ offset: 0, limit: 9, filter: { kind: 'backup', home: 'node-b' } })).toEqual([
      3,
      's1',
      's3',
      's5',
    ]);
    expect(ids({ offset: 0, limit: 9, filter: { kind: 'backup', home: 'node-a' } })).toEqual([0]);
  });

  it('come at most 1,000 to a page', () => {
    const sessions = new Sessions();
    for (let index = 0; index < 1_001; index += 1) sessions.start(start(`s${index}`), testNow);
    const page = sessions.list({ offset: 0, limit: 5_000 });
    expect(page.total).toBe(1_001);
    expect(page.sessions).toHaveLength(1_000);
  });

  it('beyond 200,000 push out the longest idle, never one that was just seen', () => {
    const sessions = new Sessions();
    for (let index = 0; index < sessionsMax; index += 1)
      sessions.start(start(`s${index}`), testNow);
    sessions.touch('s0', later(1));
    expect(sessions.counts().own).toBe(sessionsMax);
    sessions.start(start('one more', { kind: 'backup' }), later(2));
    const { own, backup } = sessions.counts();
    expect(backup).toBe(1);
    expect(own).toBe(sessionsMax - sessionsMax / 100);
    expect(sessions.isActive('s0', later(2))).toBe(true);
    expect(sessions.isActive('s1', later(2))).toBe(false);
    expect(sessions.isActive(`s${sessionsMax - 1}`, later(2))).toBe(true);
  });
});

describe('a survey of the sessions', () => {
  const start = { kind: 'own', home: 'node-a', family: 'browser', stream: 'ch1' } as const;

  it('counts who was seen within the last 30 s, alike ones together', () => {
    const sessions = new Sessions();
    sessions.start({ ...start, id: '1', backups: ['node-b'] }, testNow);
    sessions.start({ ...start, id: '2', backups: ['node-b'] }, testNow);
    sessions.start({ ...start, id: '3', backups: ['node-c'] }, testNow);
    const in30s = { ...testNow, monoMs: testNow.monoMs + 30_000 };
    expect(sessions.survey(in30s).map(({ sessions: count }) => count)).toEqual([2, 1]);
    sessions.touch('2', in30s);
    const in31s = { ...testNow, monoMs: testNow.monoMs + 31_000 };
    expect(sessions.survey(in31s)).toEqual([
      { stream: 'ch1', kind: 'own', home: 'node-a', backups: ['node-b'], sessions: 1 },
    ]);
  });
});
