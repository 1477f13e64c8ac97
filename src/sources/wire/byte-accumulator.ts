/** Bytes that come in pieces and are wanted as one. */
export interface ByteAccumulator {
  readonly length: number;
  append(bytes: Uint8Array): void;
  /** What was appended so far; valid until the next `append`. */
  peek(): Uint8Array;
  /** Everything appended, now the caller's; the accumulator is empty again. */
  take(): Uint8Array;
  clear(): void;
}

const empty = new Uint8Array(0);
const smallestCapacity = 4096;

/**
 * Collects pieces by copying them into one buffer that doubles, so that the cost is linear in the bytes however small
 * the pieces are, and a piece may be reused by its owner as soon as `append` returns.
 */
export function createByteAccumulator(): ByteAccumulator {
  let buffer = empty;
  let length = 0;

  function clear(): void {
    buffer = empty;
    length = 0;
  }

  return {
    get length() {
      return length;
    },
    append(bytes) {
      const needed = length + bytes.length;
      if (needed > buffer.length) {
        const grown = new Uint8Array(Math.max(smallestCapacity, needed * 2));
        grown.set(buffer.subarray(0, length));
        buffer = grown;
      }
      buffer.set(bytes, length);
      length = needed;
    },
    peek: () => buffer.subarray(0, length),
    take() {
      const taken = buffer.subarray(0, length);
      clear();
      return taken;
    },
    clear,
  };
}
