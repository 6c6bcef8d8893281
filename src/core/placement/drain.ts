import { hash32 } from '../hash.ts';
import type { MonoMs } from '../time.ts';

/** Viewers are moved off a node over this time, each at a moment of its own. */
export type Move = { readonly startedAt: MonoMs; readonly overMs: number };

/** Whether a viewer's moment has come: evenly spread over the time by `key`, always the same for one viewer. */
export function isToLeave({ startedAt, overMs }: Move, key: string, now: MonoMs): boolean {
  return now - startedAt >= (hash32(`leave ${key}`) / 2 ** 32) * overMs;
}
