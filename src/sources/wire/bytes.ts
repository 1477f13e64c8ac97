import { RxInformersError } from '../../kubernetes/errors.js';

/** Collects bytes that arrive in pieces. */
export interface ByteAccumulator {
  readonly length: number;
  append(bytes: Uint8Array): void;
  /** Returns the bytes appended so far, valid until the next `append`. */
  peek(): Uint8Array;
  /** Returns all appended bytes and empties the accumulator. The caller may keep the bytes. */
  take(): Uint8Array;
  clear(): void;
}

const empty = /*#__PURE__*/ new Uint8Array(0);
const smallestCapacity = 4096;

/**
 * Copies pieces into one buffer, which doubles when full, so the cost is linear for pieces of any
 * size. A piece may be reused when `append` has returned.
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

const decoder = /*#__PURE__*/ new TextDecoder('utf-8', { fatal: true });

/**
 * Returns the JSON value in `bytes`.
 *
 * @throws `RXI_WIRE` for bytes that are not UTF-8 (instead of replacing characters) or not JSON
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

const shownLength = 200;
const lossy = /*#__PURE__*/ new TextDecoder();

/** Returns an `RXI_WIRE` that shows the beginning of `bytes`. */
export function wireError(
  problem: string,
  bytes: Uint8Array,
  byteLength: number = bytes.length,
  options?: ErrorOptions,
): RxInformersError<'RXI_WIRE'> {
  const line = lossy.decode(bytes.subarray(0, shownLength));
  const message = `${problem} (${byteLength} bytes): ${JSON.stringify(line)}`;
  return new RxInformersError('RXI_WIRE', message, { problem, line, byteLength, ...options });
}

export const quote = 0x22;
export const comma = 0x2c;
export const colon = 0x3a;
export const openSquare = 0x5b;
export const closeSquare = 0x5d;
export const openCurly = 0x7b;
export const closeCurly = 0x7d;
/** `{` and `[` differ only in this bit, and so do `}` and `]`. */
export const curlyBit = 0x20;
export const backslash = 0x5c;
