import { networkInterfaces } from 'node:os';
import type { ListenAddress } from '../../core/config.ts';
import { type AddressClass, readAddress } from '../../core/viewer/address-class.ts';

/** Most addresses a node announces; hosts of containers and temporary IPv6 addresses have many. */
const addressesMax = 8;

const announced: readonly AddressClass[] = ['public', 'private'];

/**
 * Where viewers reach a listener, as `address:port`: of one that is bound to an address this one (and none for a host
 * name), else the machine's own addresses, public before private, IPv4 before IPv6, each once. Loopback and link-local
 * addresses are left out unless the listener is bound to one.
 */
export function announcedAddresses(
  listen: ListenAddress,
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): readonly string[] {
  const withPort = ({ text }: { text: string }) =>
    text.includes(':') ? `[${text}]:${listen.port}` : `${text}:${listen.port}`;
  const bound = readAddress(listen.host);
  if (bound?.class !== 'unusable') return bound === undefined ? [] : [withPort(bound)];
  const own = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .flatMap(({ address }) => readAddress(address) ?? [])
    .filter(({ version }) => version === 4 || bound.version === 6);
  const ranked = announced.flatMap((wanted) =>
    [4, 6].flatMap((version) =>
      own.filter((address) => address.class === wanted && address.version === version),
    ),
  );
  return [...new Set(ranked.map(withPort))].slice(0, addressesMax);
}
