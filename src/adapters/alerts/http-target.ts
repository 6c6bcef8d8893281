import { createHash } from 'node:crypto';
import type { AlertNotice, AlertOutcome, AlertTarget } from '../../agent/alert-ports.ts';
import type { UnixMs } from '../../core/time.ts';

/** A target that has not answered by then is tried again later, ms. */
const deadlineMs = 10_000;
/** Somebody waits for the outcome of a test. */
const testDeadlineMs = 5_000;

/** Answers that may be others next time, though they are of the 4xx kind. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/** What is sent for some notices. */
type Render = (notices: readonly AlertNotice[]) => unknown;

/**
 * A target reached by POST of JSON. A user name and password in the URL become an Authorization header; a redirect is
 * not followed: only what is configured is asked. Nothing of URL or answer beyond the host and the status gets into an
 * outcome.
 */
export function createHttpTarget(parts: {
  readonly url: string;
  readonly render: Render;
  /** What is sent as a test. */
  readonly renderTest: (at: UnixMs) => unknown;
  readonly batchMax: number;
  readonly repeatMs?: number;
}): AlertTarget {
  const { render, renderTest, batchMax, repeatMs } = parts;
  const { address, headers } = addressOf(parts.url);
  const post = async (content: unknown, msMax = deadlineMs): Promise<AlertOutcome> => {
    try {
      const { status, body } = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(content),
        redirect: 'manual',
        signal: AbortSignal.timeout(msMax),
      });
      await body?.cancel();
      return outcomeOf(status);
    } catch (error) {
      return { kind: 'failed', cause: causeOf(error) };
    }
  };
  return {
    key: createHash('sha256').update(parts.url).digest('hex').slice(0, 32),
    host: address.host,
    batchMax,
    repeatMs,
    send: (notices) => post(render(notices)),
    test: (at) => post(renderTest(at), testDeadlineMs),
  };
}

function addressOf(url: string) {
  const address = new URL(url);
  const { username, password } = address;
  address.username = '';
  address.password = '';
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers =
    login === ':' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
  return { address, headers };
}

function outcomeOf(status: number): AlertOutcome {
  if (status >= 200 && status < 300) return { kind: 'taken' };
  const isFinal = status >= 300 && status < 500 && !passing.has(status);
  return { kind: isFinal ? 'refused' : 'failed', cause: `status ${status}` };
}

/** A code such as ECONNREFUSED; messages may hold the URL. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return 'no answer in time';
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
}
