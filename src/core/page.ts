/** A part of a list in the order of names, and where the next one begins. */
export type Page<T> = {
  readonly page: readonly T[];
  /** Absent at the end of the list. */
  readonly nextCursor?: string | undefined;
};

/**
 * The first `limit` of `items` (sorted by `nameOf`) behind the name `cursor`, which need not be there any more: what
 * came or went meanwhile neither repeats nor hides another item.
 */
export function pageByName<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): Page<T> {
  const left = cursor === undefined ? items : items.filter((item) => nameOf(item) > cursor);
  const page = left.slice(0, limit);
  const last = page.at(-1);
  return left.length > page.length && last !== undefined
    ? { page, nextCursor: nameOf(last) }
    : { page };
}
