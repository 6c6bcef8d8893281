/**
 * Takes what the agent inserted out of a playlist again, knowing nothing of how it was inserted: only where backups are,
 * what the pass is, and how copies are marked. Shares no code with the product.
 */
export function removeInserted(
  playlist: string,
  { bases, pass }: { readonly bases: readonly string[]; readonly pass?: string | undefined },
): string {
  const lines = playlist.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const content = lines.map((line) => line.replace(/\r*\n?$/, ''));
  const isElsewhere = (uri: string) => bases.some((base) => uri.startsWith(base));
  const removed = new Set<number>();
  for (const [index, line] of content.entries()) {
    if (/^[ \t]*#EXT-X-STREAM-INF/.test(line)) {
      const uri = content[index + 1] ?? '';
      if (isElsewhere(uri) || /^[^#]*[?&]round=2(?:$|[&#])/.test(uri)) {
        removed.add(index).add(index + 1);
      }
    } else if (/^[ \t]*#EXT-X-MEDIA:/.test(line) && isClone(line, content.slice(0, index))) {
      removed.add(index);
    }
  }
  const kept = lines.filter((_, index) => !removed.has(index));
  let text = kept.join('');
  // Where the last line had no ending, inserted lines gave it one and have none at the end themselves.
  if (removed.has(lines.length - 1) && !playlist.endsWith('\n')) text = text.replace(/\r*\n$/, '');
  if (pass === undefined) return text;
  return text.replaceAll(`?pass=${pass}`, '').replaceAll(`&pass=${pass}`, '');

  function isClone(line: string, before: readonly string[]): boolean {
    const uri = /[,:]\s*URI="([^"]*)"/.exec(line)?.[1];
    if (uri !== undefined) return isElsewhere(uri);
    const original = line.replace(/(GROUP-ID="[^"]*)-b+\d+"/, '$1"');
    return original !== line && before.includes(original);
  }
}
