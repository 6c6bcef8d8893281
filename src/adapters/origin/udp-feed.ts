import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import { transportStreamOf } from '../../core/media/datagram.ts';
import type { UdpFeed } from '../../core/stream/feed-entry.ts';
import type { FeedConnection } from './feed-connection.ts';

/** Room for two seconds of 16 Mbit/s while the process is busy; the kernel gives at most `net.core.rmem_max`. */
const receiveBufferBytes = 4 * 1024 * 1024;
/** A group that is silent for so long is joined anew: a switch may have forgotten us, or an interface come anew. */
const silenceMsMax = 10_000;

/** Receives the datagrams of a feed. */
export const connectUdp =
  (feed: UdpFeed): FeedConnection =>
  (sink) => {
    // Others may listen to a group, too; an address of ours is for one feed alone.
    const socket = createSocket({
      type: feed.isIpv6 ? 'udp6' : 'udp4',
      reuseAddr: feed.isMulticast,
    });
    const silence = feed.isMulticast
      ? setTimeout(() => sink.lost('nothing has come from the group for 10 s'), silenceMsMax)
      : undefined;
    const faultOf = (cause: unknown) =>
      `cannot receive at port ${feed.port}: ${(cause as NodeJS.ErrnoException).code ?? 'unknown'}`;
    socket.on('error', (cause) => sink.lost(faultOf(cause)));
    socket.on('message', (datagram, from) => {
      if (feed.source !== undefined && from.address !== feed.source) return;
      silence?.refresh();
      sink.bytes(transportStreamOf(datagram));
    });
    socket.on('listening', () => {
      try {
        socket.setRecvBufferSize(receiveBufferBytes);
        if (!feed.isMulticast) return;
        const at = interfaceOf(feed);
        if (feed.source === undefined) socket.addMembership(feed.address, at);
        else socket.addSourceSpecificMembership(feed.source, feed.address, at);
      } catch (cause) {
        sink.lost(faultOf(cause));
      }
    });
    // Bound to the group itself, a socket gets nothing that is meant for other groups at the same port.
    socket.bind({ address: feed.address, port: feed.port, exclusive: true });
    return () => {
      clearTimeout(silence);
      socket.removeAllListeners();
      socket.on('error', () => undefined);
      try {
        socket.close();
      } catch {
        // It was never bound.
      }
    };
  };

/** What the socket wants: an address for IPv4, `::%name` for IPv6. A name that is not known is left to fail there. */
function interfaceOf(feed: UdpFeed): string | undefined {
  const wanted = feed.interface;
  if (wanted === undefined) return undefined;
  const all = Object.entries(networkInterfaces());
  if (feed.isIpv6) {
    const found = all.find(([, list]) => list?.some(({ address }) => address === wanted));
    return `::%${found?.[0] ?? wanted}`;
  }
  const named = all.find(([name]) => name === wanted)?.[1];
  return named?.find(({ family }) => family === 'IPv4')?.address ?? wanted;
}
