import type { NodeFacts } from '../group/node.ts';
import type { ReasonCode } from '../reasons.ts';
import { type Address, readAddress } from '../viewer/address-class.ts';
import type { Viewer } from '../viewer/viewer.ts';

/** One way viewers may reach a node. */
export type Place = {
  /** Absolute, ends with `/`. */
  readonly base: string;
  readonly scheme: 'http' | 'https';
  /** Lower case; an IP literal in canonical form, without brackets. */
  readonly host: string;
  readonly port: string;
  /** Absent for a name. A name counts as public. */
  readonly address?: Address | undefined;
};

/** What a node says of where it is, read once for many viewers. */
export type NodePlaces = {
  /** Its public URL alone where it declares one, else its own addresses: private, public, loopback ones in that order. */
  readonly places: readonly Place[];
  /** The public URL and all addresses. */
  readonly everywhere: readonly Place[];
  /** All its public IP addresses, whether viewers are sent there or not. */
  readonly publicAddresses: ReadonlySet<string>;
};

/** A place for a viewer, or why none. */
export type Fit =
  | { readonly kind: 'fit'; readonly place: Place }
  | { readonly kind: 'unfit'; readonly reason: ReasonCode };

/** Most addresses of one node that are looked at. */
const addressesMax = 32;

const addressOrder = ['private', 'public', 'loopback'];

/** Places read last, per list of addresses: facts change every second, where a node is hardly ever does. */
const known = new WeakMap<
  readonly string[],
  { publicUrl: string | undefined; places: NodePlaces }
>();

/** Where a node says that it is. Addresses no viewer can use, and what cannot be read, are left out. */
export function placesOf(node: Pick<NodeFacts, 'publicUrl' | 'addresses'>): NodePlaces {
  const { addresses, publicUrl } = node;
  const last = known.get(addresses);
  if (last !== undefined && last.publicUrl === publicUrl) return last.places;
  const places = readPlaces(node);
  known.set(addresses, { publicUrl, places });
  return places;
}

function readPlaces(node: Pick<NodeFacts, 'publicUrl' | 'addresses'>): NodePlaces {
  const declared = node.publicUrl === undefined ? undefined : readPlace(node.publicUrl);
  const own = node.addresses
    .slice(0, addressesMax)
    .flatMap((address) => readPlace(`http://${address}`) ?? [])
    .filter(({ address }) => addressOrder.includes(address?.class ?? ''))
    .sort((a, b) => rank(a) - rank(b));
  const all = declared === undefined ? own : [declared, ...own];
  return {
    places: node.publicUrl === undefined ? own : all.filter((place) => place === declared),
    everywhere: all,
    publicAddresses: new Set(
      all.flatMap(({ address }) => (address?.class === 'public' ? [address.text] : [])),
    ),
  };
}

/**
 * The first place of a node that fits a viewer. An https viewer is sent to https only, a public one to no private
 * address, one from another machine to no loopback address. A redirect (`purpose`) keeps the viewer's scheme;
 * a backup of an http page may be https. Never a place that the answering node has too.
 */
export function fitPlace(parts: {
  readonly viewer: Viewer;
  readonly node: NodePlaces;
  readonly self: NodePlaces;
  readonly purpose: 'backup' | 'redirect';
}): Fit {
  const { viewer, node, self, purpose } = parts;
  const from = addressOf(viewer);
  let reason: ReasonCode | undefined;
  for (const place of node.places) {
    const unfit =
      schemeFault(place, viewer, purpose) ??
      addressFault(place, viewer, from) ??
      (self.everywhere.some((own) => isSameHost(own, place)) ? 'address-same' : undefined);
    if (unfit === undefined) {
      return isOneMachine(node, self)
        ? { kind: 'unfit', reason: 'address-same' }
        : { kind: 'fit', place };
    }
    reason ??= unfit;
  }
  return { kind: 'unfit', reason: reason ?? 'address-missing' };
}

/** By viewer, which a connection keeps; null: no address that can be read. */
const viewerAddresses = new WeakMap<Viewer, Address | null>();

/** Where a viewer comes from, read once for all that is judged for it. */
export function addressOf(viewer: Viewer): Address | undefined {
  const known = viewerAddresses.get(viewer);
  if (known !== undefined) return known ?? undefined;
  const address = readAddress(viewer.address);
  viewerAddresses.set(viewer, address ?? null);
  return address;
}

/** Two nodes with places chosen for one viewer. */
type Placed = { readonly place: Place; readonly places: NodePlaces };

/**
 * Whether two nodes would fail together: they have one IP address or one host name and port, or all public
 * addresses of one are the other's as well (two names of one machine). An address that both have beside
 * others of their own, as anycast ones are, does not count; nor do private ones, which repeat from site to site.
 */
export function isSamePlace(a: Placed, b: Placed): boolean {
  return isSameHost(a.place, b.place) || isOneMachine(a.places, b.places);
}

function isSameHost(a: Place, b: Place): boolean {
  const isWholeMachine = a.address !== undefined && a.address.class !== 'loopback';
  return a.host === b.host && (isWholeMachine || a.port === b.port);
}

function isOneMachine(a: NodePlaces, b: NodePlaces): boolean {
  const [fewer, more] =
    a.publicAddresses.size < b.publicAddresses.size
      ? [a.publicAddresses, b.publicAddresses]
      : [b.publicAddresses, a.publicAddresses];
  return fewer.size > 0 && [...fewer].every((address) => more.has(address));
}

function schemeFault(
  place: Place,
  viewer: Viewer,
  purpose: 'backup' | 'redirect',
): ReasonCode | undefined {
  if (viewer.isHttps) {
    return place.scheme === 'https' ? undefined : 'address-insecure';
  }
  return purpose === 'redirect' && place.scheme === 'https' ? 'address-scheme' : undefined;
}

function addressFault(
  place: Place,
  viewer: Viewer,
  from: Address | undefined,
): ReasonCode | undefined {
  const { address } = place;
  if (address === undefined) {
    return undefined;
  }
  if (viewer.isPublic && address.class !== 'public') {
    return 'address-private';
  }
  const isElsewhere = address.class === 'loopback' && from?.class !== 'loopback';
  const isOtherVersion = from !== undefined && from.version !== address.version;
  return isElsewhere || isOtherVersion ? 'address-unusable' : undefined;
}

function readPlace(url: string): Place | undefined {
  if (!URL.canParse(url)) {
    return undefined;
  }
  const { protocol, hostname, port, host } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') {
    return undefined;
  }
  const address = readAddress(hostname.replace(/^\[|\]$/g, ''));
  return {
    base: `${protocol}//${host}/`,
    scheme: protocol === 'https:' ? 'https' : 'http',
    host: address?.text ?? hostname,
    port: port || (protocol === 'https:' ? '443' : '80'),
    address,
  };
}

function rank(place: Place): number {
  return addressOrder.indexOf(place.address?.class ?? '');
}
