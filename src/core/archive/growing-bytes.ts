const firstCapacity = 1_024;

/** Bytes that are only added to: what was looked at once stays as it is. */
export class GrowingBytes {
  #bytes = new Uint8Array(firstCapacity);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(added: Uint8Array): void {
    const length = this.#length + added.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, Math.ceil(this.#bytes.length * 1.5)));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(added, this.#length);
    this.#length = length;
  }

  /** No copy. */
  slice(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from, Math.min(to, this.#length));
  }
}
