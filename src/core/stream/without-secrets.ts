import type { ArchiveConfig } from '../archive/archive-config.ts';
import type { StreamConfig } from './stream.ts';

/**
 * A stream's settings without what may be a secret in them: the user name and password of its archive's API, and the
 * values in the queries of all addresses. Names of parameters stay, so that it is seen what there was.
 */
export function withoutSecrets(stream: StreamConfig): StreamConfig {
  const { origin, dash, archive } = stream;
  return {
    ...stream,
    ...(origin !== undefined && { origin: blanked(origin) }),
    ...(dash !== undefined && { dash: blanked(dash) }),
    ...(archive !== undefined && { archive: withoutArchiveSecrets(archive) }),
  };
}

function withoutArchiveSecrets(archive: ArchiveConfig): ArchiveConfig {
  const { api, url } = archive;
  return {
    ...archive,
    ...(api !== undefined && { api: { ...api, url: blanked(withoutLogin(api.url)) } }),
    ...(url !== undefined && { url: blanked(url) }),
  };
}

function withoutLogin(address: string): string {
  const url = new URL(address);
  if (url.username === '' && url.password === '') return address;
  url.username = '';
  url.password = '';
  return url.href;
}

/** Of what follows `?` only the names before `=`; in a path, `?` is a letter like any other. */
function blanked(address: string): string {
  const at = address.startsWith('/') ? -1 : address.indexOf('?');
  if (at < 0) return address;
  const names = address
    .slice(at + 1)
    .split('&')
    .map((parameter) => /^[^=]*=/.exec(parameter)?.[0] ?? '');
  return `${address.slice(0, at)}?${names.join('&')}`;
}
