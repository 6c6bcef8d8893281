import type { Context, MiddlewareHandler } from 'hono';
import type { Caller } from '../../agent/admin-ports.ts';
import type { Clock } from '../../agent/ports.ts';
import type { MonoMs, UnixMs } from '../../core/time.ts';
import { readAddress } from '../../core/viewer/address-class.ts';
import type { AdminEnvironment } from './admin-environment.ts';
import { observeConnection } from './connection.ts';
import { problem } from './problem.ts';

/** Wrong tokens that one address may send per period; then it is not listened to until the period is over. */
const attemptsMax = 10;
const periodMs = 60_000;
/** Addresses that are remembered; beyond it the longest known makes room. */
const addressesMax = 1_000;

type Judgement = Caller | 'unavailable' | undefined;

/** Whose a bearer token is; undefined: nobody's; `unavailable`: whoever knows cannot be asked. */
export type CallerOf = (presented: string, nowMs: UnixMs) => Judgement | Promise<Judgement>;

/** Calls by POST that change nothing: a token for reading is good for them. */
const questions: ReadonlySet<string> = new Set(['/api/v1/explain']);

/** Lets requests with the right bearer token pass. A missing token is no attempt: browsers open pages without one. */
export function requireToken(deps: {
  readonly callerOf: CallerOf;
  readonly clock: Clock;
  /** CIDRs whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
}): MiddlewareHandler<AdminEnvironment> {
  const attempts = new Attempts();
  return async (context, next) => {
    const address = networkOf(context, deps.trustedProxies);
    const { monoMs: now, wallMs } = deps.clock.now();
    const waitMs = attempts.waitMs(address, now);
    if (waitMs > 0)
      return problem('too_many_attempts', {
        headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
      });
    const presented = /^Bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
    const caller = presented === undefined ? undefined : await deps.callerOf(presented, wallMs);
    if (caller === 'unavailable')
      return problem('not_ready', { detail: 'the identity provider cannot be asked' });
    if (caller !== undefined) {
      context.set('caller', caller);
      return caller.scope === 'write' || isRead(context.req) ? next() : problem('forbidden');
    }
    if (presented !== undefined) attempts.note(address, now);
    return problem('unauthorized', {
      headers: { 'www-authenticate': 'Bearer realm="understudy"' },
    });
  };
}

function isRead({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === 'GET' || method === 'HEAD' || questions.has(path);
}

/** Wrong tokens by network address, in memory only. */
class Attempts {
  readonly #kept = new Map<string, { readonly since: MonoMs; count: number }>();

  /** How long the address is not listened to, ms; 0 or less: it is. */
  waitMs(address: string, now: MonoMs): number {
    const kept = this.#kept.get(address);
    return kept === undefined || kept.count < attemptsMax ? 0 : kept.since + periodMs - now;
  }

  note(address: string, now: MonoMs): void {
    const kept = this.#kept.get(address);
    if (kept !== undefined && now - kept.since < periodMs) {
      kept.count += 1;
      return;
    }
    this.#kept.delete(address);
    this.#kept.set(address, { since: now, count: 1 });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > addressesMax && oldest !== undefined) this.#kept.delete(oldest);
  }
}

/** The caller's IPv4 address, or the /64 of an IPv6 one: whoever has one address of it has all. */
function networkOf(
  { env, req }: Context<AdminEnvironment>,
  trustedProxies: readonly string[],
): string {
  const { address: text } = observeConnection({
    remoteAddress: env?.incoming?.socket.remoteAddress,
    encrypted: false,
    headers: (name) => req.header(name),
    trustedProxies,
  });
  const address = readAddress(text);
  return address?.version === 6 ? address.text.split(':', 4).join(':') : (address?.text ?? text);
}
