import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Caller } from '../../agent/admin-ports.ts';

/** What a handler says of its change, for the audit log; plain values without secrets. */
type Change = {
  readonly target?: string | undefined;
  readonly before?: unknown;
  readonly after?: unknown;
};

/** What goes with each request of the API. */
export type AdminEnvironment = {
  Bindings: Partial<HttpBindings>;
  Variables: {
    caller: Caller;
    /** `nothing`: the request asked for what is so already. */
    change: Change | 'nothing' | undefined;
  };
};

export type AdminApp = OpenAPIHono<AdminEnvironment>;
