import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { AdminScope, AdminToken, Caller, TokenStore } from '../../agent/admin-ports.ts';
import { AgentError } from '../../core/errors.ts';
import type { UnixMs } from '../../core/time.ts';
import { hashOf } from './admin-token.ts';

/** Most tokens there may be: each request is compared with all of them. */
const tokensMax = 100;

/** What may be told of a token. */
type TokenView = Omit<AdminToken, 'hash'>;

/**
 * Tokens of the API beside the first one (`docs/api.md`). A token is shown once, when it is made; only its hash is
 * kept. Every presented one is compared with every hash in constant time, so that the time tells nothing.
 * @throws store_failed
 */
export function openAdminTokens(deps: {
  readonly store: TokenStore;
  /** Whether it is the token of the configuration or of the first start, which may everything. */
  readonly acceptsFirst: (presented: string) => boolean;
}) {
  let tokens = deps.store.list();
  return {
    /** Whose token it is; undefined: nobody's. */
    callerOf(presented: string): Caller | undefined {
      const isFirst = deps.acceptsFirst(presented);
      const hash = hashOf(presented);
      const found = tokens.filter((token) => timingSafeEqual(token.hash, hash))[0];
      if (isFirst) return { who: 'admin', scope: 'write' };
      return found && { who: `token ${found.name}`, scope: found.scope };
    },

    /** Oldest first. */
    list: (): readonly TokenView[] => tokens.map(viewOf),

    /** Makes a token; `token` is shown this once. @throws conflict when there are too many; store_failed */
    create(
      wanted: { readonly name: string; readonly scope: AdminScope },
      by: { readonly who: string; readonly at: UnixMs },
    ): TokenView & { readonly token: string } {
      if (tokens.length >= tokensMax)
        throw new AgentError('conflict', `node has ${tokensMax} tokens, which is the limit`);
      const token = randomBytes(32).toString('base64url');
      const { name, scope } = wanted;
      const id = randomBytes(9).toString('base64url');
      const kept = { id, name, scope, createdAt: by.at, createdBy: by.who, hash: hashOf(token) };
      deps.store.add(kept);
      tokens = [...tokens, kept];
      return { ...viewOf(kept), token };
    },

    /** Ends a token at once; returns what it was. @throws not_found; store_failed */
    revoke(id: string): TokenView {
      const gone = tokens.find((token) => token.id === id);
      if (gone === undefined) throw new AgentError('not_found', `there is no token "${id}"`);
      deps.store.remove(id);
      tokens = tokens.filter((token) => token !== gone);
      return viewOf(gone);
    },
  };
}

function viewOf({ hash, ...view }: AdminToken): TokenView {
  return view;
}
