import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';

const dayMs = 86_400_000;
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** A certificate and its key, as files. */
export type CertificateFiles = { readonly certFile: string; readonly keyFile: string };

/** An authority that only those trust who are given `caFile`; by openssl, in `folder`. */
export function createAuthority(folder: string) {
  const path = (name: string) => join(folder, name);
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  writeFileSync(path('index.txt'), '');
  writeFileSync(
    path('ca.cnf'),
    [
      ...['[ca]', 'default_ca = d', '[d]', 'database = index.txt', 'new_certs_dir = .'],
      ...['rand_serial = yes', 'default_md = sha256', 'policy = p', 'unique_subject = no'],
      ...['copy_extensions = copy', '[p]', 'commonName = supplied', ''],
    ].join('\n'),
  );
  openssl(
    ...['req', '-x509', ...newKey, '-days', '90', '-subj', '/CN=test authority'],
    ...['-keyout', 'ca.key', '-out', 'ca.pem'],
  );
  return {
    caFile: path('ca.pem'),
    /** A certificate for `hosts`, valid from 30 days ago for 90 days unless told otherwise. */
    issue(
      name: string,
      { hosts, leftDays = 60 }: { readonly hosts: readonly string[]; readonly leftDays?: number },
    ): CertificateFiles {
      const names = hosts.map((host) => `${isIP(host) ? 'IP' : 'DNS'}:${host}`).join(',');
      const end = Date.now() + leftDays * dayMs;
      openssl(
        ...['req', '-new', ...newKey, '-subj', `/CN=${name}`, '-keyout', `${name}.key`],
        ...['-addext', `subjectAltName=${names}`, '-out', `${name}.csr`],
      );
      openssl(
        ...[
          'ca',
          '-batch',
          '-notext',
          '-config',
          'ca.cnf',
          '-cert',
          'ca.pem',
          '-keyfile',
          'ca.key',
        ],
        ...['-in', `${name}.csr`, '-out', `${name}.pem`],
        ...['-startdate', asn1(end - 90 * dayMs), '-enddate', asn1(end)],
      );
      return { certFile: path(`${name}.pem`), keyFile: path(`${name}.key`) };
    },
  };
}

/** As openssl takes instants: `20270115080000Z`. */
function asn1(ms: number): string {
  return `${new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`;
}
