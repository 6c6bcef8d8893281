/** Goes on with `value` at once where it is there, else when it has come: most requests wait for nothing. */
export function after<T, R>(
  value: T | Promise<T>,
  next: (value: T) => R | Promise<R>,
): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
