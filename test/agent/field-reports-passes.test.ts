import { describe, expect, it } from 'vitest';
import { createPassSigner } from '../../src/adapters/hmac/pass-signer.ts';
import { Passes } from '../../src/agent/passes.ts';
import { Sessions } from '../../src/agent/sessions.ts';
import { checkPass } from '../../src/core/pass/check.ts';
import type { PassClaims } from '../../src/core/pass/claims.ts';
import { aKey, someClaims } from '../support/pass-fakes.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';

const key = aKey();

/** What a node does with a request for a media playlist that carries a pass; 200 or 403 with the reason. */
function viewerSide(node: string, clock: VirtualClock) {
  const passes = new Passes({
    signer: createPassSigner(),
    keyOf: (id) => (id === key.id ? key : undefined),
  });
  const sessions = new Sessions();
  return {
    sessions,
    async ask(pass: string): Promise<number | string> {
      const verdict = await passes.verify(pass);
      const now = clock.now();
      if (verdict.kind === 'refused') return verdict.reason;
      const { sub, iss, grp } = verdict.claims;
      const sessionActive = sessions.isActive(sub, now, 'ch1');
      const check = checkPass(verdict.claims, { node, group: 'ch1', now, sessionActive });
      if (check.kind === 'refused') return check.reason;
      const kind = iss === node ? 'own' : 'backup';
      const backups: string[] = [];
      if (!sessions.touch(sub, now)) {
        sessions.start({ id: sub, stream: grp, kind, home: iss, family: 'browser', backups }, now);
      }
      return 200;
    },
  };
}

/** A pass issued now by a node's clock. */
function issueAt(clock: VirtualClock, ttlS: number, claims: Partial<PassClaims> = {}) {
  const iat = Math.floor(clock.now().wallMs / 1000);
  return createPassSigner().sign(someClaims({ iat, nbf: iat, exp: iat + ttlS, ...claims }), key);
}

describe('field report 11: short-lived passes expire while watching', () => {
  it('passes of 60 s, 10 minutes of play with changes of rung and one move of node: no 403', async () => {
    const clock = createVirtualClock();
    const home = viewerSide('node-a', clock);
    const backup = viewerSide('node-b', clock.sibling({ wallOffsetMs: 2_000 }));
    // The multivariant playlist is loaded once; its variants all carry this pass for ten minutes.
    const pass = await issueAt(clock, 60);
    const answers = new Map<number | string, number>();
    const reloadMs = 2_000;
    for (let playedMs = 0; playedMs < 600_000; playedMs += reloadMs) {
      // Another rung is another playlist with the same pass: its first request comes beside the reload.
      const requests = playedMs % 30_000 === 0 ? 2 : 1;
      const serving = playedMs < 270_000 ? home : backup;
      for (let request = 0; request < requests; request += 1) {
        const answer = await serving.ask(pass);
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
      clock.advance(reloadMs);
    }
    expect(Object.fromEntries(answers)).toEqual({ 200: 320 });
    home.sessions.expire(clock.now());
    expect([home.sessions.counts(), backup.sessions.counts()]).toEqual([
      { own: 0, backup: 0 },
      { own: 0, backup: 1 },
    ]);
  });

  it('a player that was paused for 3 minutes goes on; one that is gone for longer opens again', async () => {
    const clock = createVirtualClock();
    const home = viewerSide('node-a', clock);
    const pass = await issueAt(clock, 60);
    for (let playedMs = 0; playedMs < 600_000; playedMs += 5_000) {
      expect(await home.ask(pass)).toBe(200);
      clock.advance(5_000);
    }
    clock.advance(175_000);
    expect(await home.ask(pass)).toBe(200);
    clock.advance(181_000);
    expect(await home.ask(pass)).toBe('pass-expired');
  });

  it('a move later than the life of the pass and the tolerance is refused: the bound is never extended', async () => {
    const clock = createVirtualClock();
    const pass = await issueAt(clock, 60);
    clock.advance(299_000);
    expect(await viewerSide('node-b', clock).ask(pass)).toBe(200);
    clock.advance(1_000);
    expect(await viewerSide('node-b', clock).ask(pass)).toBe('pass-expired');
  });
});

describe('field report 13: the clock of the node that signs is off', () => {
  it.each([
    [6, 200],
    [120, 200],
    [239, 200],
    [240, 200],
    [241, 'pass-not-yet-valid'],
  ])('%i s ahead, a pass just issued: %s', async (offsetS, answer) => {
    const clock = createVirtualClock();
    const signing = clock.sibling({ wallOffsetMs: offsetS * 1000 });
    const pass = await issueAt(signing, 3_600);
    expect(await viewerSide('node-b', clock).ask(pass)).toBe(answer);
  });

  it.each([
    [-239, 200],
    [-240, 'pass-expired'],
    [-241, 'pass-expired'],
  ])('%i s, a pass at the last moment of its life: %s', async (offsetS, answer) => {
    const clock = createVirtualClock();
    const signing = clock.sibling({ wallOffsetMs: offsetS * 1000 });
    const pass = await issueAt(signing, 3_600);
    clock.advance(3_600_000);
    expect(await viewerSide('node-b', clock).ask(pass)).toBe(answer);
  });

  it('ahead: the pass never lives longer than its life and twice the bound', async () => {
    const clock = createVirtualClock();
    const signing = clock.sibling({ wallOffsetMs: 240_000 });
    const pass = await issueAt(signing, 3_600);
    clock.advance((3_600 + 479) * 1000);
    expect(await viewerSide('node-b', clock).ask(pass)).toBe(200);
    clock.advance(1_000);
    expect(await viewerSide('node-b', clock).ask(pass)).toBe('pass-expired');
  });
});
