import { randomBytes, randomFillSync } from 'node:crypto';
import type { NewId, RandomBytes } from '../../agent/ports.ts';

const idBytes = 16;

/** Random bytes for the next 256 ids: each call to the system's source costs as much as the rest of an opening's session. */
const pool = Buffer.alloc(256 * idBytes);
let poolAt = pool.length;

/** 128 random bits, base64url. */
export const newId: NewId = () => {
  if (poolAt === pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  poolAt += idBytes;
  return pool.toString('base64url', poolAt - idBytes, poolAt);
};

/** Bytes from the system's random source. */
export const newBytes: RandomBytes = (length) => new Uint8Array(randomBytes(length));
