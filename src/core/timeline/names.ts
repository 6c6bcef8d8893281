const namePattern = /(?:^|\/)(?:~(\d{1,2})\/)?(\d{1,15})\.ts$/;

/** Which canonical segment a viewer names, whatever folder its playlist lies in; undefined for any other path. */
export function readCanonicalName(
  path: string,
): { readonly rung: number; readonly number: number } | undefined {
  const [, rung = '0', number] = namePattern.exec(path) ?? [];
  return number === undefined ? undefined : { rung: Number(rung), number: Number(number) };
}

/** What stands before the number in the names of a rung's segments. */
export function canonicalPrefix(rung: number): string {
  return rung === 0 ? '' : `~${rung}/`;
}
