/** Where a transport stream arrives by UDP or RTP. Addresses as text, without brackets. */
export type UdpFeed = {
  /** A multicast group, or an address of this machine; `0.0.0.0` and `::` are all of them. */
  readonly address: string;
  readonly port: number;
  readonly isIpv6: boolean;
  readonly isMulticast: boolean;
  /** Only datagrams of this sender count; of a multicast group only they are asked for (RFC 4607). */
  readonly source?: string | undefined;
  /** Address or name of the interface that the group is joined on; the route decides without it. */
  readonly interface?: string | undefined;
};

const udpEntryForm = '"udp://[source@]address:port[?interface=...]"';

/** Reads `udp://[source@]address:port`; a text says why it cannot be, without holding any of it. */
export function readUdpFeed(entry: string): UdpFeed | string {
  // A source of IPv6 is more than a user name may be in a URL.
  const [, sourceText = '', rest = ''] = /^udp:\/\/(?:([^/?]*)@)?(.*)$/is.exec(entry) ?? [];
  const target = `udp://${rest}`;
  if (!URL.canParse(target)) return `must be of the form ${udpEntryForm}`;
  const url = new URL(target);
  const address = bare(url.hostname);
  const isIpv6 = address.includes(':');
  const isMulticast = isIpv6 ? /^ff/i.test(address) : /^2(?:2[4-9]|3\d)\./.test(address);
  const source = sourceOf(sourceText, isIpv6);
  const fault = faultOf(url, isMulticast);
  if (fault !== undefined) return fault;
  if (source === undefined) return 'must have an address of the same kind as its source';
  return {
    address,
    port: Number(url.port),
    isIpv6,
    isMulticast,
    source: source === '' ? undefined : source,
    interface: url.searchParams.get('interface') ?? undefined,
  };
}

function faultOf(url: URL, isMulticast: boolean): string | undefined {
  const isAddress = url.hostname.startsWith('[') || isIpv4(url.hostname);
  if (!isAddress) return `must be of the form ${udpEntryForm}, with an address and no name`;
  if (url.port === '' || url.port === '0') return 'must have a port from 1 to 65535';
  if (!/^\/?$/.test(url.pathname) || url.username !== '' || url.hash !== '')
    return `must be of the form ${udpEntryForm}`;
  if (!/^(?:\?interface=[\w.:@-]{1,45})?$/.test(url.search))
    return 'must have no query but "interface", an address or a name';
  return url.search !== '' && !isMulticast
    ? 'must have "interface" with a multicast group only'
    : undefined;
}

/**
 * Whether an entry is a feed, which the agent packages itself: `udp:`, or a path (as such or as `file:` URL) of which
 * `isFifo` says that it is a FIFO.
 */
export function isFeedEntry(entry: string, isFifo: (path: string) => boolean): boolean {
  if (isUdpEntry(entry)) return true;
  const path = localPath(entry);
  return path !== undefined && isFifo(path);
}

export function isUdpEntry(entry: string): boolean {
  return /^udp:/i.test(entry);
}

/** Path of an entry given as absolute path or `file:` URL of this machine. */
export function localPath(entry: string): string | undefined {
  if (entry.startsWith('/')) return entry;
  const url = URL.canParse(entry) ? new URL(entry) : undefined;
  if (url?.protocol !== 'file:' || url.host !== '') return undefined;
  try {
    return decodeURIComponent(url.pathname);
  } catch {
    return undefined;
  }
}

/** Empty for no source (`udp://@group:port`, too); undefined for one that is no address. */
function sourceOf(text: string, isIpv6: boolean): string | undefined {
  if (text === '') return '';
  if (!isIpv6) return isIpv4(text) ? text : undefined;
  const url = `udp://${text}`;
  return /^\[[^\]]*\]$/.test(text) && URL.canParse(url) ? bare(new URL(url).hostname) : undefined;
}

function bare(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return (
    parts.length === 4 &&
    parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)
  );
}
