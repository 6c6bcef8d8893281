import { randomBytes } from 'node:crypto';
import type { NewId, RandomBytes } from '../../agent/ports.ts';

/** 128 random bits, base64url. */
export const newId: NewId = () => randomBytes(16).toString('base64url');

/** Bytes from the system's random source. */
export const newBytes: RandomBytes = (length) => new Uint8Array(randomBytes(length));
