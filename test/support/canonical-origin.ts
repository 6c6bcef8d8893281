import { cutAll, foundBy } from './canonical.ts';
import { createSharedSource } from './shared-source.ts';

/** Pictures of one segment: 2 s of 25 a second. */
const picturesOf2s = 50;

/**
 * Segments of a packager whose bytes are real, for `FakeOriginOptions.segment`: `seg{n}.ts` of each rung, which its folder
 * names, up to `count`. Node after node may have the same: a source of numbered pictures with sound.
 */
export function realSegments(
  rungs: readonly string[],
  count: number,
): (path: string) => Uint8Array | undefined {
  const source = createSharedSource();
  const byRung = new Map(
    rungs.map((name, rung) => {
      const readings = Array.from({ length: count + 12 }, (_, at) =>
        source.read({ from: at * picturesOf2s, to: (at + 1) * picturesOf2s, base: 0, rung }),
      );
      const segments = [...cutAll(readings, foundBy(readings)).values()];
      return [name, segments.map(({ bytes }) => bytes)] as const;
    }),
  );
  return (path) => {
    const [, folder = '', number = ''] = /\/([^/]+)\/seg(\d+)\.ts$/.exec(path) ?? [];
    return byRung.get(folder)?.[Number(number)];
  };
}
