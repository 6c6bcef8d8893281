import { createHmac, generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PassClaims } from '../../src/core/pass/claims.ts';
import { type GroupRig, passIn, startGroup, urisOf } from '../support/group-rig.ts';

/** What is wrong with a pass, and the reason that is given for it. */
type Forgery = {
  readonly what: string;
  readonly reason: string;
  make(rig: GroupRig): Promise<string>;
};

function claimsFor(rig: GroupRig, changes: Partial<PassClaims> = {}): PassClaims {
  const nowS = Math.floor(rig.node(1).clock.now().wallMs / 1000);
  return {
    iss: 'node-a',
    aud: ['node-a', 'node-b'],
    sub: 'a-session-of-the-tests',
    grp: 'ch1',
    iat: nowS,
    nbf: nowS,
    exp: nowS + 3_600,
    hop: [],
    ...changes,
  };
}

/** Signed by jose with the viewing key of the domain, unless told otherwise. */
async function sign(
  rig: GroupRig,
  claims: PassClaims,
  header: { alg?: string; typ?: string; kid?: string } = {},
): Promise<string> {
  const key = rig.node(1).agent.keys.signing();
  if (key === undefined) throw new Error('no viewing key is in force');
  return new SignJWT({ ...claims, aud: [...claims.aud] })
    .setProtectedHeader({ alg: 'HS256', typ: 'pass+jwt', kid: key.id, ...header })
    .sign(key.secret);
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

const forgeries: readonly Forgery[] = [
  {
    what: 'no signature at all (alg none)',
    reason: 'pass-algorithm',
    make: async (rig) => {
      const kid = rig.node(1).agent.keys.signing()?.id;
      return `${part({ alg: 'none', typ: 'pass+jwt', kid })}.${part(claimsFor(rig))}.`;
    },
  },
  {
    what: 'RS256 where HS256 is meant',
    reason: 'pass-algorithm',
    make: async (rig) => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      return new SignJWT({ ...claimsFor(rig), aud: ['node-b'] })
        .setProtectedHeader({ alg: 'RS256', typ: 'pass+jwt', kid: 'any' })
        .sign(privateKey);
    },
  },
  {
    what: 'a public key taken for the secret',
    reason: 'pass-signature',
    make: async (rig) => {
      const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const kid = rig.node(1).agent.keys.signing()?.id;
      const text = `${part({ alg: 'HS256', typ: 'pass+jwt', kid })}.${part(claimsFor(rig))}`;
      const secret = publicKey.export({ type: 'spki', format: 'pem' });
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
    },
  },
  {
    what: 'a key nobody knows',
    reason: 'pass-unknown-key',
    make: (rig) => sign(rig, claimsFor(rig), { kid: '9-unknown' }),
  },
  {
    what: 'other nodes as audience',
    reason: 'pass-audience',
    make: (rig) => sign(rig, claimsFor(rig, { aud: ['node-a', 'node-c'] })),
  },
  {
    what: 'another group',
    reason: 'pass-group',
    make: (rig) => sign(rig, claimsFor(rig, { grp: 'ch2' })),
  },
  {
    what: 'another type of token',
    reason: 'pass-type',
    make: (rig) => sign(rig, claimsFor(rig), { typ: 'JWT' }),
  },
  {
    what: 'one letter changed',
    reason: 'pass-signature',
    make: async (rig) => {
      const [header = '', , signature = ''] = (await sign(rig, claimsFor(rig))).split('.');
      return `${header}.${part(claimsFor(rig, { sub: 'another-session-of-tests' }))}.${signature}`;
    },
  },
  {
    what: 'ten kilobytes',
    reason: 'pass-too-long',
    make: async (rig) => {
      const pass = await sign(rig, claimsFor(rig, { lgn: 'x'.repeat(7_500) }));
      expect(pass.length).toBeGreaterThan(10 * 1024);
      return pass;
    },
  },
];

describe('passes at a backup', () => {
  let rig: GroupRig;
  const ask = (pass: string) => rig.node(1).ask(`/ch1/high/video.m3u8?pass=${pass}`);

  beforeEach(async () => {
    rig = await startGroup(3);
  });

  it.each(forgeries)('with $what are refused with $reason', async ({ make, reason }) => {
    const answer = await ask(await make(rig));
    expect(answer.status).toBe(403);
    expect(answer.headers.get('x-understudy-reason')).toBe(reason);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(await answer.json()).toMatchObject({ status: 403, code: reason });
  });

  it.each([
    [6, 200],
    [120, 200],
    [239, 200],
    [241, 403],
  ])('report 13: signed by a clock %i s ahead are answered %i', async (aheadS, status) => {
    const nbf = claimsFor(rig).nbf + aheadS;
    expect((await ask(await sign(rig, claimsFor(rig, { nbf, iat: nbf })))).status).toBe(status);
  });

  it.each([
    [-239, 200],
    [-241, 403],
  ])('report 13: that ran out %i s ago are answered %i', async (ranOutS, status) => {
    const exp = claimsFor(rig).nbf + ranOutS;
    const pass = await sign(rig, claimsFor(rig, { exp, nbf: exp - 60, iat: exp - 60 }));
    expect((await ask(pass)).status).toBe(status);
  });

  it('verify with jose as the referee when the agent issued them', async () => {
    const playlist = await (await rig.node(0).ask('/ch1/index.m3u8')).text();
    const passes = new Set(urisOf(playlist).map((uri) => passIn(uri)));
    expect(passes.size).toBe(1);
    expect((await ask(passIn(playlist))).status).toBe(200);
  });
});

describe('passes in use', () => {
  it('report 11: of 60 s last through ten minutes of play, rung changes and a move, without one 403', async () => {
    const rig = await startGroup(2, () => ({
      passTtlS: 60,
      origin: { targetS: 10 },
      stream: { canonical: false },
    }));
    const playlist = await (await rig.node(0).ask('/ch1/index.m3u8')).text();
    const own = urisOf(playlist).filter((uri) => !uri.startsWith('http'));
    const theirs = urisOf(playlist).filter((uri) => uri.startsWith('http'));
    const answers: number[] = [];
    for (let passedS = 0; passedS < 600; passedS += 10) {
      await rig.run(10_000, 500);
      const at = (passedS / 10) % 2;
      const node = rig.node(passedS < 240 ? 0 : 1);
      const uri = passedS < 240 ? `/ch1/${own[at]}` : (theirs[at] ?? '');
      const answer = await node.ask(uri);
      answers.push(answer.status);
    }
    expect(answers.filter((status) => status !== 200)).toEqual([]);
  });

  it('are refused to nobody while the viewing key rolls', async () => {
    const rig = await startGroup(3);
    const playlist = await (await rig.node(0).ask('/ch1/index.m3u8')).text();
    const before = rig.node(0).agent.keys.signing()?.id;
    rig.node(2).agent.keys.rotate(rig.node(2).clock.now());
    const uris = urisOf(playlist).filter((uri) => uri.startsWith('http'));
    for (let second = 0; second < 10; second += 1) {
      await rig.run(1_000);
      for (const uri of uris) {
        const node = rig.nodes.find(({ base }) => uri.startsWith(base));
        expect((await node?.ask(uri))?.status).toBe(200);
      }
      const fresh = await (await rig.node(1).ask('/ch1/index.m3u8')).text();
      for (const uri of urisOf(fresh).filter((one) => one.startsWith('http'))) {
        const node = rig.nodes.find(({ base }) => uri.startsWith(base));
        expect((await node?.ask(uri))?.status).toBe(200);
      }
    }
    const after = new Set(rig.nodes.map(({ agent }) => agent.keys.signing()?.id));
    expect(after.size).toBe(1);
    expect(after.has(before)).toBe(false);
  });
});
