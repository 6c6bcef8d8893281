/** What a Range header asks of a body of known size: all of it, one part (both ends included), or nothing it has. */
export type ByteRange =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  | { readonly kind: 'unsatisfiable' };

/**
 * Resolves a Range header against `size` bytes (RFC 9110 14.1.2): `a-b`, `a-`, and the suffix form `-n`. A missing or
 * malformed header, another unit or several ranges mean the whole body, as the RFC allows.
 */
export function resolveRange(header: string | undefined, size: number): ByteRange {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  const [, from = '', to = ''] = match ?? [];
  if (match === null || (from === '' && to === '')) return { kind: 'whole' };
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0
      ? { kind: 'unsatisfiable' }
      : { kind: 'part', first: size - length, last: size - 1 };
  }
  const first = Number(from);
  if (to !== '' && Number(to) < first) return { kind: 'whole' };
  if (first >= size) return { kind: 'unsatisfiable' };
  return { kind: 'part', first, last: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}

/** Status and headers of the answer to a range of `size` bytes; `headers` are those of the whole body. */
export function rangeAnswer(
  range: ByteRange,
  size: number,
  headers: Readonly<Record<string, string>>,
): { readonly status: 200 | 206 | 416; readonly headers: Readonly<Record<string, string>> } {
  switch (range.kind) {
    case 'whole':
      return { status: 200, headers: { ...headers, 'content-length': `${size}` } };
    case 'part':
      return {
        status: 206,
        headers: {
          ...headers,
          'content-length': `${range.last - range.first + 1}`,
          'content-range': `bytes ${range.first}-${range.last}/${size}`,
        },
      };
    case 'unsatisfiable':
      return {
        status: 416,
        headers: { 'content-length': '0', 'content-range': `bytes */${size}` },
      };
  }
}
