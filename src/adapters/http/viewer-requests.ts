import type { HttpBindings } from '@hono/node-server';
import { after } from '../../agent/after.ts';
import { type Answer, notFromHere } from '../../agent/answer.ts';
import type { Clock, Log, Meter } from '../../agent/ports.ts';
import type { Viewing } from '../../agent/viewing.ts';
import type { Now } from '../../core/time.ts';
import { connectionOf, createObserver, type Header } from './connection.ts';
import { socketBehind } from './hop.ts';

/** Longest path and query that are looked at, characters; longer ones are malformed. A pass far too long still fits, to be refused as what it is. */
const urlLengthMax = 12 * 1024;

export type ViewerAppDeps = {
  readonly viewing: Viewing;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter?: Meter | undefined;
  readonly trustedProxies: readonly string[];
  /** Whether requests come from workers, which say whose they are. */
  readonly isBehindWorkers?: boolean | undefined;
};

/** A GET or HEAD of a viewer. */
type HttpRequest = {
  /** As the viewer named it, lower case. */
  readonly host: string;
  /** Path with its slash, and query. */
  readonly target: string;
  readonly header: Header;
  /** Absent where there is no socket. */
  readonly incoming: HttpBindings['incoming'] | undefined;
};

/** What a viewer's request is answered with, at once where nothing must be waited for. */
export type Decide = (request: HttpRequest) => Answer | Promise<Answer>;

/** What is answered when that failed, or when its answer cannot be written: a fault of the agent, which is logged. */
export type Failed = (path: string, error: unknown) => Answer;

/** The one way from HTTP to the decision; counts what is answered, and how soon that was known. */
export function createDecide(deps: ViewerAppDeps): Decide {
  const observe = createObserver(deps.trustedProxies);
  const isBehindWorkers = deps.isBehindWorkers === true;
  // Behind a proxy, or a worker, one connection serves many viewers.
  const isShared = deps.trustedProxies.length > 0 || isBehindWorkers;

  function open({ host, target, header, incoming }: HttpRequest, now: Now) {
    const queryAt = target.indexOf('?');
    return deps.viewing.open({
      viewer: observe(isBehindWorkers ? socketBehind(header) : incoming?.socket, header),
      host,
      path: target.slice(1, queryAt < 0 ? undefined : queryAt),
      query: queryAt < 0 ? '' : target.slice(queryAt + 1),
      range: header('range'),
      bearer: bearerIn(header('authorization')),
      userAgent: header('user-agent'),
      connection: isShared ? undefined : connectionOf(incoming),
      now,
    });
  }

  function counted(answer: Answer, now: Now): Answer {
    if (answer.kind === 'cut') return answer;
    deps.meter?.answered({
      kind: answer.kind,
      reason: answer.kind === 'file' ? undefined : answer.reason,
      decidedInMs: deps.clock.now().monoMs - now.monoMs,
    });
    return answer;
  }

  return (request) => {
    if (request.target.length > urlLengthMax)
      return { kind: 'refusal', status: 400, reason: 'path-invalid' };
    const now = deps.clock.now();
    return after(open(request, now), (answer) => counted(answer, now));
  };
}

export function createFailed(log: Log): Failed {
  return (path, error) => {
    const cause = error instanceof Error ? error.stack : String(error);
    log.error('viewer request failed', { path, cause });
    return notFromHere('internal-error');
  };
}

function bearerIn(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +(\S+)$/i.exec(header)?.[1];
}
