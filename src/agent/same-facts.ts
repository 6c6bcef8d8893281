import type { AirState, HlsFacts } from '../core/stream/stream.ts';

/** `before` itself where `after` says the same. */
export function keepSame<T>(before: T | undefined, after: T, isSame: (a: T, b: T) => boolean): T {
  return before !== undefined && isSame(before, after) ? before : after;
}

/** Whether every field of `b` is the same value in `a`. */
export function isSameShallow<T extends object>(a: T, b: T): boolean {
  const keys = Object.keys(b) as (keyof T)[];
  return keys.every((key) => a[key] === b[key]);
}

export function isSameAir(a: AirState, b: AirState): boolean {
  return a.onAir ? b.onAir : !b.onAir && a.reason === b.reason;
}

export function isSameHls(a: HlsFacts, b: HlsFacts): boolean {
  return (
    isSameAir(a.air, b.air) && isSameShallow({ ...a, air: undefined }, { ...b, air: undefined })
  );
}

export function isSameDash(a: { readonly air: AirState }, b: { readonly air: AirState }): boolean {
  return isSameAir(a.air, b.air);
}
