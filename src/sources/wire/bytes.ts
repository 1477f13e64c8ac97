import { RxInformersError } from '../../kubernetes/errors.js';

/** Collects bytes that come in pieces. */
export interface ByteAccumulator {
  readonly length: number;
  append(bytes: Uint8Array): void;
  /** Returns what was appended so far, valid until the next `append`. */
  peek(): Uint8Array;
  /** Returns everything appended, which the caller may keep, and empties the accumulator. */
  take(): Uint8Array;
  clear(): void;
}

const empty = new Uint8Array(0);
const smallestCapacity = 4096;

/**
 * Creates an accumulator that copies pieces into one buffer, which doubles: the cost is linear in the bytes however small the pieces
 * are, and a piece may be reused as soon as `append` returns.
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

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns the JSON value that `bytes` spell.
 *
 * @throws WireError for what is not UTF-8 (instead of replacing characters in an object) or not JSON
 */
export function decodeJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    throw wireError('not valid UTF-8', bytes, bytes.length, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw wireError('not valid JSON', bytes, bytes.length, { cause });
  }
}

/** The bytes of a response are not what the protocol says. The request is not known here: its maker turns this into a `DecodeError`. */
export class WireError extends RxInformersError {
  static override readonly code = 'RXI_WIRE';
  override readonly name = 'WireError';
  constructor(
    readonly problem: string,
    /** The beginning of the bytes, as text; what is not UTF-8 in it is replaced. */
    readonly line: string,
    /** How many bytes there were, or at least were seen. */
    readonly byteLength: number,
    options?: ErrorOptions,
  ) {
    super(`${problem} (${byteLength} bytes): ${JSON.stringify(line)}`, options);
  }
}

const shownLength = 200;
const lossy = new TextDecoder();

/** Returns a `WireError` that shows the beginning of `bytes`. */
export function wireError(
  problem: string,
  bytes: Uint8Array,
  byteLength: number = bytes.length,
  options?: ErrorOptions,
): WireError {
  return new WireError(problem, lossy.decode(bytes.subarray(0, shownLength)), byteLength, options);
}
