import { type AuthAnswer, loginLengthMax, type ViewerAuthority } from '../../agent/auth-ports.ts';

/** Headers of the answer, as backends of other media servers send them already. */
const loginHeader = 'x-userid';
const limitHeader = 'x-max-sessions';
const durationHeader = 'x-authduration';

/**
 * Asks the operator's backend by POST of JSON: `token`, `ip`, `name`, `proto`, `session_id`, `user_agent`. 2xx grants, 401
 * and 403 deny, anything else is no answer. `X-UserId` names the login, `X-Max-Sessions` its most sessions,
 * `X-AuthDuration` how many seconds the answer holds. A body is not read, a redirect not followed.
 */
export function createHttpAuthority(options: {
  readonly url: string;
  readonly deadlineMs: number;
}): ViewerAuthority {
  const { url, deadlineMs } = options;
  return {
    async ask({ token, address, stream, protocol, session, userAgent }) {
      const question = {
        ...{ token, ip: address, name: stream, proto: protocol },
        ...{ session_id: session, user_agent: userAgent },
      };
      try {
        const answer = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(question),
          redirect: 'manual',
          signal: AbortSignal.timeout(deadlineMs),
        });
        await answer.body?.cancel();
        return answerOf(answer.status, (name) => answer.headers.get(name));
      } catch (error) {
        return { kind: 'unavailable', cause: causeOf(error, deadlineMs) };
      }
    },
  };
}

function answerOf(status: number, header: (name: string) => string | null): AuthAnswer {
  if (status === 401 || status === 403) return { kind: 'denied' };
  if (status < 200 || status > 299)
    return { kind: 'unavailable', cause: `the backend answers with status ${status}` };
  const login = header(loginHeader) ?? undefined;
  const sessionsMax = wholeOf(header(limitHeader));
  const validS = wholeOf(header(durationHeader));
  const isReadable =
    (login === undefined || (login !== '' && login.length <= loginLengthMax)) &&
    sessionsMax !== 'faulty' &&
    validS !== 'faulty';
  return isReadable
    ? { kind: 'granted', login, sessionsMax, validS }
    : { kind: 'unavailable', cause: 'a header of the backend cannot be read' };
}

function wholeOf(text: string | null): number | undefined | 'faulty' {
  if (text === null) return undefined;
  return /^\d{1,9}$/.test(text) ? Number(text) : 'faulty';
}

function causeOf(error: unknown, deadlineMs: number): string {
  const { name, cause } = Object(error);
  if (name === 'TimeoutError') return `the backend does not answer within ${deadlineMs} ms`;
  return `the backend cannot be reached: ${Object(cause).code ?? name}`;
}
