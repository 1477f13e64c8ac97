import type { Span } from './omitted-member.js';

/** Copies texts without a part of each. */
export interface Shortener {
  /** Begins anew, with texts of no more than `length` bytes together; what was copied before is overwritten. */
  reset(length: number): void;
  /** `bytes` without `omitted`, valid until `reset`. */
  copyWithout(bytes: Uint8Array, omitted: Span): Uint8Array;
}

/** One buffer for all copies that are needed at the same time: an allocation for each would cost more than the copying. */
export function createShortener(): Shortener {
  let buffer = new Uint8Array(0);
  let needed = 0;
  let used = 0;

  return {
    reset(length) {
      needed = length;
      used = 0;
    },
    copyWithout(bytes, { from, to }) {
      if (buffer.length < needed) buffer = new Uint8Array(needed);
      const start = used;
      buffer.set(bytes.subarray(0, from), start);
      buffer.set(bytes.subarray(to), start + from);
      used = start + from + bytes.length - to;
      return buffer.subarray(start, used);
    },
  };
}
