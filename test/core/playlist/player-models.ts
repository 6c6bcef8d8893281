/**
 * How two players take redundant variants together, written after their sources (`docs/playlists.md`): hls.js 1.7
 * `level-controller.ts` `onManifestLoaded`, Media3 1.11 `HlsRedundantGroup.GroupKey`.
 */
export type ParsedVariant = {
  readonly attributes: ReadonlyMap<string, string>;
  readonly uri: string;
};

export function parseVariants(playlist: string): readonly ParsedVariant[] {
  const pattern = /#EXT-X-STREAM-INF:([^\r\n]*)(?:[\r\n](?:#[^\r\n]*)?)*([^\r\n]+)/g;
  return [...playlist.matchAll(pattern)].map(([, list = '', uri = '']) => ({
    attributes: attributesOf(list),
    uri: uri.trim(),
  }));
}

/** `utils/attr-list.ts` of hls.js. */
function attributesOf(list: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', value = ''] of list.matchAll(/(.+?)=(".*?"|.*?)(?:,|$)/g)) {
    attributes.set(name.trim(), value.replace(/^"(.*)"$/, '$1'));
  }
  return attributes;
}

/** One rung as hls.js sees it: its pathways in order, each with the audio groups that were merged into it. */
export type HlsJsRung = {
  readonly key: string;
  readonly pathways: { readonly uri: string; readonly audioGroups: string[] }[];
};

export function hlsJsRungs(playlist: string): readonly HlsJsRung[] {
  const rungs = new Map<string, HlsJsRung>();
  for (const { attributes, uri } of parseVariants(playlist)) {
    const key = [
      'BANDWIDTH',
      'RESOLUTION',
      'FRAME-RATE',
      'CODECS',
      'VIDEO-RANGE',
      'HDCP-LEVEL',
    ].map((name) => attributes.get(name));
    const rung = rungs.get(key.join('-')) ?? { key: key.join('-'), pathways: [] };
    rungs.set(rung.key, rung);
    const audio = attributes.get('AUDIO');
    const latest = rung.pathways.at(-1);
    // The comparison is against the latest entry only; an equal URI just adds its group.
    if (latest === undefined || latest.uri !== uri) {
      rung.pathways.push({ uri, audioGroups: audio === undefined ? [] : [audio] });
    } else if (audio !== undefined && !latest.audioGroups.includes(audio)) {
      latest.audioGroups.push(audio);
    }
  }
  return [...rungs.values()];
}

/** Distinct URIs by what Media3 builds its redundant groups of. */
export function media3Groups(playlist: string): readonly ReadonlySet<string>[] {
  const groups = new Map<string, Set<string>>();
  for (const { attributes, uri } of parseVariants(playlist)) {
    const key = [
      'BANDWIDTH',
      'AVERAGE-BANDWIDTH',
      'CODECS',
      'RESOLUTION',
      'FRAME-RATE',
      'SCORE',
      'SUPPLEMENTAL-CODECS',
      'STABLE-VARIANT-ID',
    ].map((name) => attributes.get(name));
    const group = groups.get(key.join('|')) ?? new Set();
    groups.set(key.join('|'), group.add(uri));
  }
  return [...groups.values()];
}

/** Hosts (empty for this node) that each rendition group's URIs are on. */
export function hostsByGroup(playlist: string): ReadonlyMap<string, ReadonlySet<string>> {
  const hosts = new Map<string, Set<string>>();
  for (const [, list = ''] of playlist.matchAll(/#EXT-X-MEDIA:(.*)/g)) {
    const attributes = attributesOf(list);
    const uri = attributes.get('URI');
    const group = `${attributes.get('TYPE')} ${attributes.get('GROUP-ID')}`;
    const known = hosts.get(group) ?? new Set();
    hosts.set(group, known);
    if (uri !== undefined) known.add(/^https?:\/\/([^/]*)/.exec(uri)?.[1] ?? '');
  }
  return hosts;
}
