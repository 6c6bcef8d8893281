/** How long hls.js keeps away from a pathway that failed. */
const penaltyMs = 300_000;

type Variant = {
  /** What hls.js takes for one rendition level; equal keys are redundant copies of each other. */
  readonly key: string;
  readonly audio: string | undefined;
  readonly uri: string;
};

/** One of the redundant ways through a multivariant playlist; its levels are in the order of the first. */
type Pathway = { readonly levels: readonly Variant[] };

const keyAttributes = [
  ...['PATHWAY-ID', 'BANDWIDTH', 'RESOLUTION', 'FRAME-RATE', 'CODECS', 'VIDEO-RANGE'],
  'HDCP-LEVEL',
];

function attribute(line: string, name: string): string | undefined {
  return new RegExp(`[:,]${name}=("[^"]*"|[^,]*)`).exec(line)?.[1]?.replaceAll('"', '');
}

function variantsOf(playlist: string): readonly Variant[] {
  const lines = playlist.split('\n');
  return lines.flatMap((line, at) =>
    line.startsWith('#EXT-X-STREAM-INF:')
      ? [
          {
            key: keyAttributes.map((name) => attribute(line, name) ?? '').join('|'),
            audio: attribute(line, 'AUDIO'),
            uri: lines[at + 1] ?? '',
          },
        ]
      : [],
  );
}

/** The pathways that hls.js makes of redundant variants: the n-th copy of each level is in the n-th (`docs/players.md`). */
export function pathwaysOf(playlist: string): readonly Pathway[] {
  const seen = new Map<string, number>();
  const pathways: Variant[][] = [];
  for (const variant of variantsOf(playlist)) {
    const copy = seen.get(variant.key) ?? 0;
    seen.set(variant.key, copy + 1);
    const levels = pathways[copy] ?? [];
    pathways[copy] = [...levels, variant];
  }
  return pathways.map((levels) => ({ levels }));
}

/**
 * A player by the rules of hls.js: no retry for 4xx or a refused connection; it tries the other levels of the pathway,
 * then the next pathway, and comes back to one that failed no sooner than 300 s later. `reload` gives the URI that was
 * answered in the end, or `fatal`.
 */
export function createPathwayPlayer(parts: {
  readonly playlist: string;
  /** Status of a media playlist; 0 when nobody answers. */
  readonly request: (uri: string) => Promise<number>;
  readonly monoMs: () => number;
}) {
  const pathways = pathwaysOf(parts.playlist);
  const failedAt = new Map<number, number>();
  let at = 0;
  const isPenalised = (index: number) =>
    parts.monoMs() - (failedAt.get(index) ?? -Infinity) < penaltyMs;
  return {
    pathways,
    async reload(): Promise<{ readonly uri: string; readonly requests: number } | 'fatal'> {
      for (let requests = 0; ; ) {
        for (const { uri } of pathways[at]?.levels ?? []) {
          requests += 1;
          if ((await parts.request(uri)) === 200) return { uri, requests };
        }
        failedAt.set(at, parts.monoMs());
        at = pathways.findIndex((_, index) => !isPenalised(index));
        if (at < 0) return 'fatal';
      }
    },
  };
}
