/**
 * What an IP address literal is good for.
 * - `public`: reachable from anywhere. The documentation ranges (RFC 5737, RFC 3849, RFC 9637) count as
 *   public: nobody has them on a local network, and examples and tests treat them as the internet.
 * - `private`: reachable inside one network only (RFC 1918, CGNAT, ULA, benchmarking ...).
 * - `link-local`: one link only, and of no use in a URL.
 * - `loopback`: this machine only.
 * - `unusable`: no host can have it (unspecified, multicast, reserved).
 */
export type AddressClass = 'public' | 'private' | 'link-local' | 'loopback' | 'unusable';

/** An address literal as read; `text` is canonical (equal addresses have equal texts), without brackets. */
export type Address = {
  readonly text: string;
  readonly version: 4 | 6;
  readonly class: AddressClass;
};

/**
 * Reads an IPv4 address in plain dotted decimals or an IPv6 address (no zone, no brackets). IPv4-mapped
 * IPv6 is the IPv4 address in it. Anything else, the many other spellings of IPv4 included, is undefined.
 */
export function readAddress(text: string): Address | undefined {
  const octets = readOctets(text);
  if (octets !== undefined) {
    return { text, version: 4, class: classOfIPv4(octets) };
  }
  const groups = readGroups(text);
  if (groups === undefined) {
    return undefined;
  }
  if (startsWith(groups, [0, 0, 0, 0, 0, 0xffff], 96)) {
    const mapped = embeddedIPv4(groups, 6);
    return { text: mapped.join('.'), version: 4, class: classOfIPv4(mapped) };
  }
  const canonical = groups.map((group) => group.toString(16)).join(':');
  return { text: canonical, version: 6, class: classOfIPv6(groups) };
}

const ipv4Pattern = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/;

function readOctets(text: string): readonly number[] | undefined {
  const octets = ipv4Pattern.exec(text)?.slice(1).map(Number);
  return octets?.every((octet) => octet <= 255) ? octets : undefined;
}

/** Longest text of an IPv6 address, with an IPv4 address at its end. */
const ipv6LengthMax = 45;

function readGroups(text: string): readonly number[] | undefined {
  const halves = text.split('::');
  if (text.length > ipv6LengthMax || !text.includes(':') || halves.length > 2) {
    return undefined;
  }
  const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const left = readParts(head ?? []);
  const right = readParts(tail ?? []);
  if (left === undefined || right === undefined || (tail !== undefined && left.dotted)) {
    return undefined;
  }
  const missing = 8 - left.groups.length - right.groups.length;
  if (tail === undefined ? missing !== 0 : missing < 1) {
    return undefined;
  }
  return [...left.groups, ...Array.from({ length: missing }, () => 0), ...right.groups];
}

function readParts(parts: readonly string[]) {
  const groups: number[] = [];
  let dotted = false;
  for (const [index, part] of parts.entries()) {
    if (/^[\da-f]{1,4}$/i.test(part)) {
      groups.push(Number.parseInt(part, 16));
      continue;
    }
    const [a, b, c, d] = readOctets(part) ?? [];
    if (index < parts.length - 1 || a === undefined || b === undefined) {
      return undefined;
    }
    groups.push(a * 256 + b, (c ?? 0) * 256 + (d ?? 0));
    dotted = true;
  }
  return { groups, dotted };
}

function classOfIPv4(octets: readonly number[]): AddressClass {
  const [a = 0, b = 0, c = 0] = octets;
  if (a === 0 || a >= 224) {
    return 'unusable';
  }
  if (a === 127) {
    return 'loopback';
  }
  if (a === 169 && b === 254) {
    return 'link-local';
  }
  const isPrivate =
    a === 10 ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && b === 168) ||
    // Carrier-grade NAT, RFC 6598.
    (a === 100 && b >= 64 && b <= 127) ||
    // IETF protocol assignments (DS-Lite and the like), RFC 6890.
    (a === 192 && b === 0 && c === 0) ||
    // Benchmarking, RFC 2544.
    (a === 198 && (b === 18 || b === 19));
  return isPrivate ? 'private' : 'public';
}

/** First fitting prefix wins. An embedded IPv4 address (at this group) decides for translated and 6to4 addresses. */
const ipv6Classes: readonly {
  readonly prefix: readonly number[];
  readonly bits: number;
  readonly is: AddressClass | { readonly embeddedAt: number };
}[] = [
  { prefix: [0, 0, 0, 0, 0, 0, 0, 1], bits: 128, is: 'loopback' },
  { prefix: [0xfe80], bits: 10, is: 'link-local' },
  { prefix: [0xfec0], bits: 10, is: 'private' },
  { prefix: [0xfc00], bits: 7, is: 'private' },
  // NAT64: RFC 6052 is the whole internet, RFC 8215 one network's own.
  { prefix: [0x64, 0xff9b, 0, 0, 0, 0], bits: 96, is: { embeddedAt: 6 } },
  { prefix: [0x64, 0xff9b, 1], bits: 48, is: 'private' },
  { prefix: [0x2002], bits: 16, is: { embeddedAt: 1 } },
  { prefix: [0x2001, 2, 0], bits: 48, is: 'private' },
  // Identifiers that are never routed: ORCHID, ORCHIDv2, drone remote ids.
  { prefix: [0x2001, 0x10], bits: 28, is: 'unusable' },
  { prefix: [0x2001, 0x20], bits: 28, is: 'unusable' },
  { prefix: [0x2001, 0x30], bits: 28, is: 'unusable' },
  // All that was ever handed out for hosts, Teredo included.
  { prefix: [0x2000], bits: 3, is: 'public' },
];

function classOfIPv6(groups: readonly number[]): AddressClass {
  const found = ipv6Classes.find(({ prefix, bits }) => startsWith(groups, prefix, bits));
  if (found === undefined) {
    return 'unusable';
  }
  return typeof found.is === 'string'
    ? found.is
    : classOfIPv4(embeddedIPv4(groups, found.is.embeddedAt));
}

function startsWith(groups: readonly number[], prefix: readonly number[], bits: number): boolean {
  return prefix.every((wanted, index) => {
    const shift = 16 - Math.min(16, bits - 16 * index);
    return (groups[index] ?? 0) >> shift === wanted >> shift;
  });
}

function embeddedIPv4(groups: readonly number[], at: number): readonly number[] {
  const [high = 0, low = 0] = groups.slice(at, at + 2);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff];
}
