import { hash32 } from '../hash.ts';
import { readAddress } from './address-class.ts';
import { readPlayer } from './player-family.ts';
import type { Viewer } from './viewer.ts';

/** What an adapter knows of one connection before anything is made of it. */
export type ConnectionFacts = {
  /** Address of the viewer: the socket's, or the one a trusted proxy names. */
  readonly address: string;
  /** TLS here, or in front of here as `X-Forwarded-Proto` says. */
  readonly isHttps: boolean;
  readonly userAgent: string | undefined;
};

/** What decisions need to know of the viewer behind a connection. An address that cannot be read is not public. */
export function observeViewer(connection: ConnectionFacts): Viewer {
  const address = readAddress(connection.address);
  const text = address?.text ?? connection.address;
  return {
    address: text,
    isPublic: address?.class === 'public',
    isHttps: connection.isHttps,
    ...readPlayer(connection.userAgent),
    key: `${text}|${hash32(connection.userAgent ?? '').toString(36)}`,
  };
}
