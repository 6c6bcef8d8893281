/** Sends what is added while other things are looked at in one go: a message costs as much with one item as with twenty. */
export function inBatches<T>(send: (items: readonly T[]) => void): (item: T) => void {
  let items: T[] = [];
  const flush = () => {
    const batch = items;
    items = [];
    send(batch);
  };
  return (item) => {
    if (items.push(item) === 1) setImmediate(flush);
  };
}
