import createClient, { type Client } from 'openapi-fetch';
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { paths } from './api-types.ts';

export type Api = Client<paths>;

/** The REST API of the node that served this page. */
export function createApi(token: string): Api {
  return createClient<paths>({
    baseUrl: new URL('.', location.href).href.replace(/\/$/, ''),
    headers: { authorization: `Bearer ${token}` },
  });
}

const ApiContext = createContext<Api>(createApi(''));

export const ApiProvider = ApiContext.Provider;

export function useApi(): Api {
  return useContext(ApiContext);
}

/** What `ask` brings, asked again every `everyMs` and whenever `key` changes; undefined until it is there. */
export function useAsked<T>(
  ask: (api: Api) => Promise<{ readonly data?: T }>,
  key: string,
  everyMs: number,
): T | undefined {
  const api = useApi();
  const [known, setKnown] = useState<{ readonly key: string; readonly data: T }>();
  useEffect(() => {
    let isOver = false;
    const refresh = () =>
      void ask(api)
        .then(({ data }) => {
          if (!isOver && data !== undefined) setKnown({ key, data });
        })
        // The bar on top says that the node is not there.
        .catch(() => {});
    refresh();
    const timer = setInterval(refresh, everyMs);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [api, key, everyMs]);
  return known?.key === key ? known.data : undefined;
}
