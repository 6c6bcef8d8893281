import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { Answer } from '../../agent/answer.ts';
import { type AnswerAsks, createAnswerAsks } from './answer-asks.ts';
import { createAnswerHead } from './answer-head.ts';
import { cut, sendAnswer } from './send-answer.ts';
import { createViewerLane, headerIn, type Lane } from './viewer-lane.ts';
import { createDecide, createFailed, type ViewerAppDeps } from './viewer-requests.ts';

type Environment = { Bindings: Partial<HttpBindings> };

/**
 * The listener for viewers (`docs/architecture.md`, "A request"). `lane` answers most requests of a socket without
 * hono, to the same effect (ADR 24), `answerAsks` what workers ask (ADR 23).
 */
export function createViewerApp(
  deps: ViewerAppDeps,
): Hono<Environment> & { readonly lane: Lane; readonly answerAsks: AnswerAsks } {
  const app = new Hono<Environment>();
  // Any page may read every answer, refusals too: passes travel in the query, never in cookies (`docs/players.md`, rule 27).
  const common = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers':
      'X-Understudy-Node, X-Understudy-Reason, X-Understudy-Missing-Seconds, Content-Length, Content-Range, Date',
    'x-understudy-node': deps.nodeId,
  };
  const methods = 'GET, HEAD, OPTIONS';
  const decide = createDecide(deps);
  const failed = createFailed(deps.log);
  const headOf = createAnswerHead(Object.entries(common).flat());

  app.options('*', () => {
    const headers = {
      ...common,
      'access-control-allow-methods': methods,
      // A wildcard does not stand for this one.
      'access-control-allow-headers': 'Authorization, *',
      'access-control-max-age': '86400',
    };
    return new Response(null, { status: 204, headers });
  });

  app.get('*', async (context) => {
    const { url } = context.req;
    const hostAt = url.indexOf('//') + 2;
    const pathAt = url.indexOf('/', hostAt);
    const { incoming } = context.env ?? {};
    const answer = await decide({
      host: url.slice(hostAt, pathAt).toLowerCase(),
      target: url.slice(pathAt),
      header: headersOf(context),
      incoming,
    });
    return respond(context, answer);
  });

  /** To a socket the answer is written; without one it is given back, as a head alone where it is a file. */
  async function respond({ req, env }: Context<Environment>, answer: Answer): Promise<Response> {
    const outgoing = env?.outgoing;
    if (answer.kind === 'cut') {
      if (outgoing === undefined) return Response.error();
      cut(outgoing);
      return RESPONSE_ALREADY_SENT;
    }
    const head = headOf(answer);
    // Hono makes an answer to HEAD of one to GET.
    if (outgoing !== undefined && req.method !== 'HEAD') {
      await sendAnswer(outgoing, { answer, head, method: req.method });
      return RESPONSE_ALREADY_SENT;
    }
    if (answer.kind === 'file' && answer.file.kind === 'stream') answer.file.close();
    const headers = Object.fromEntries(pairsOf(head.headers));
    const body = (head.body as string | Uint8Array<ArrayBuffer> | undefined) ?? null;
    return new Response(body, { status: head.status, headers });
  }

  // Not a route for every method: hono answers faster where one handler alone is in question.
  app.notFound(() => new Response(null, { status: 405, headers: { ...common, allow: methods } }));

  app.onError((error, context) => respond(context, failed(context.req.path, error)));

  const parts = { decide, headOf, failed };
  return Object.assign(app, { lane: createViewerLane(parts), answerAsks: createAnswerAsks(parts) });
}

/** Headers as Node has read them: to make web headers of them costs more than most answers. */
function headersOf(context: Context<Environment>): (name: string) => string | undefined {
  const headers = context.env?.incoming?.headers;
  return headers === undefined ? (name) => context.req.header(name) : headerIn(headers);
}

function pairsOf(headers: readonly string[]): readonly (readonly [string, string])[] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : []));
}
