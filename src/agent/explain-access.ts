import type { ReasonCode } from '../core/reasons.ts';
import type { Now } from '../core/time.ts';
import type { Viewer } from '../core/viewer/viewer.ts';
import type { LoginSlots } from './login-slots.ts';
import type { ViewerAuth } from './viewer-auth.ts';

/** Stands for the session that would begin; no session has such an id. */
const noSession = 'explained';

/** By what a viewer would be let in, or why not. */
export type Access = {
  /** `open`: everybody may; `pass`: it brings the pass of its home node; `token`: its token was checked. */
  readonly by: 'open' | 'pass' | 'token';
  /** Why it would not be let in. */
  readonly reason?: ReasonCode | undefined;
  readonly login?: string | undefined;
  /** Most sessions of the login, and how many others have now. */
  readonly sessionsMax?: number | undefined;
  readonly taken?: number | undefined;
};

/** Whether a described viewer would be let in. A token is checked as that of a real one; no place is taken. */
export async function explainAccess(
  {
    auth,
    slots,
  }: {
    readonly auth?: Pick<ViewerAuth, 'check'> | undefined;
    readonly slots: Pick<LoginSlots, 'takenByOthers'>;
  },
  asked: {
    readonly stream: string;
    readonly protocol: 'hls' | 'dash';
    readonly token?: string | undefined;
    readonly home?: string | undefined;
    readonly userAgent?: string | undefined;
    readonly viewer: Viewer;
  },
  now: Now,
): Promise<Access> {
  if (asked.home !== undefined) return { by: 'pass' };
  if (auth === undefined) return { by: 'open' };
  const { viewer, stream, protocol, token, userAgent } = asked;
  const question = { token, stream, protocol, userAgent, session: noSession };
  const verdict = await auth.check({ ...question, address: viewer.address }, now);
  if (verdict.kind === 'refused') return { by: 'token', reason: verdict.reason };
  const { login, sessionsMax } = verdict;
  if (login === undefined) return { by: 'token' };
  const taken = slots.takenByOthers({ session: noSession, login, viewerKey: viewer.key }, now);
  const isFull = sessionsMax !== undefined && taken >= sessionsMax;
  return { by: 'token', ...(isFull && { reason: 'login-limit' }), login, sessionsMax, taken };
}
