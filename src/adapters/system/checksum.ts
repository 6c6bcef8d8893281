import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Checksum } from '../../agent/ports.ts';

/** SHA-256, base64url. */
export const checksum: Checksum = (bytes) => createHash('sha256').update(bytes).digest('base64url');

/** Settles when everything that waits now has had its turn. */
export const pause = (): Promise<void> => setImmediate();
