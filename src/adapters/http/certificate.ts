import { X509Certificate } from 'node:crypto';
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Http2SecureServer } from 'node:http2';
import type { Log } from '../../agent/ports.ts';

/** How often the files are looked at, ms. */
const pollMs = 2_000;

/** Two files do not change at once: a pair that does not fit is tried again after this before it is told, ms. */
const patienceMs = 5_000;

export type TlsFiles = { readonly certFile: string; readonly keyFile: string };

/** Told when the certificate that new connections get runs out, Unix ms; again whenever it is another one. */
export type OnExpiry = (expiresAt: number) => void;

type Pair = { readonly cert: Buffer; readonly key: Buffer };

/** The pair as it is now. @throws when a file cannot be read */
export function readCertificate(files: TlsFiles): Pair {
  return { cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) };
}

/**
 * Gives new connections the certificate that is in the files, as soon as it is no longer the `first` one; open connections go on with
 * theirs. A pair that is no good changes nothing: the old one goes on. Ends with the server.
 */
export function followCertificate(
  server: Http2SecureServer,
  of: { files: TlsFiles; first: Pair; log: Log; onExpiry: OnExpiry | undefined },
): void {
  const { files, first, log, onExpiry } = of;
  const { certFile, keyFile } = files;
  let again: NodeJS.Timeout | undefined;
  const tell = ({ cert }: Pair) => onExpiry?.(Date.parse(new X509Certificate(cert).validTo));
  tell(first);
  const reload = (isLast: boolean) => {
    clearTimeout(again);
    try {
      const pair = readCertificate(files);
      server.setSecureContext(pair);
      tell(pair);
      log.info('certificate reloaded');
    } catch (error) {
      if (isLast) log.error('certificate not reloaded', { cause: String(error) });
      else again = setTimeout(() => reload(true), patienceMs).unref();
    }
  };
  const onChange = () => reload(false);
  for (const file of [certFile, keyFile])
    watchFile(file, { interval: pollMs, persistent: false }, onChange);
  server.on('close', () => {
    clearTimeout(again);
    for (const file of [certFile, keyFile]) unwatchFile(file, onChange);
  });
}
