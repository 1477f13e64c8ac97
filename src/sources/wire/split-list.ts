import { type RxInformersError } from '../../kubernetes/errors.js';
import {
  closeCurly,
  closeSquare,
  colon,
  comma,
  createByteAccumulator,
  curlyBit,
  decodeJson,
  openCurly,
  openSquare,
  quote,
  wireError,
} from './bytes.js';
import { createTextScanner } from './choose-scanner.js';
import { endOfString, isWhitespace } from './json-bytes.js';
import { type ListEnvelope, readListEnvelope } from './list-envelope.js';
import type { ScannedText } from './scanner.js';

export interface ListSplitterOptions {
  /** The longest item in bytes; default 64 MiB. Bounds the memory of a broken response. */
  readonly maxItemLength?: number | undefined;
  /**
   * The largest number of bytes outside the items; default 1 MiB. A list has a few hundred such
   * bytes, so a response with more is not a list.
   */
  readonly maxEnvelopeLength?: number | undefined;
  /** Parses items without `metadata.managedFields`; see `ScannerOptions`. Default false. */
  readonly omitManagedFields?: boolean | undefined;
}

/** Cuts a list into its items while it is received. */
export interface ListSplitter {
  /**
   * Calls `receive` with each item that ends within `bytes`, in order. The argument is the same
   * object each time, and valid until `receive` returns.
   *
   * @throws `RXI_WIRE` if the document or `items` has the wrong type; then the splitter is unusable
   */
  push(bytes: Uint8Array, receive: (item: ScannedText) => void): void;
  /** Returns the list without its items. Throws `RXI_WIRE` if the document is cut off. */
  end(): ListEnvelope;
}

/** The next token that is allowed outside a value, as the error message names it. */
type Expected =
  | '{'
  | 'key or }'
  | 'key'
  | ':'
  | 'value'
  | ', or }'
  | 'item or ]'
  | 'item'
  | ', or ]'
  | 'end of the document';

const n = 0x6e;

/**
 * Creates a splitter for one list of any length. It never holds the whole document.
 *
 * **Guarantees**: accepts any chunking, any order of keys, any whitespace. Reads each byte once,
 * and a few more times in an item that is split across chunks. Copies only such items.
 * **Does not guarantee**: that an item is valid JSON; parsing the item reports invalid JSON.
 */
export function createListSplitter({
  maxItemLength = 64 * 1024 * 1024,
  maxEnvelopeLength = 1024 * 1024,
  omitManagedFields = false,
}: ListSplitterOptions = {}): ListSplitter {
  const envelope = createByteAccumulator();
  const partialItem = createByteAccumulator();
  const values = createValueScanner();
  const scanner = createTextScanner({ omitManagedFields });
  let expected: Expected = '{';
  let reading: 'key' | 'member' | 'item' | undefined;
  let keyStart = 0;
  let isItemsKey = false;
  let hasItems = false;

  const isInValue = (): boolean => reading !== undefined;

  function take(byte: number, next: Expected): true {
    if (expected !== ', or ]' || byte === closeSquare) keepInEnvelope(Uint8Array.of(byte));
    expected = next;
    return true;
  }

  function begin(what: 'key' | 'member' | 'item', first: number, next: Expected): true {
    reading = what;
    values.start(first);
    expected = next;
    keyStart = envelope.length;
    return true;
  }

  /**
   * Consumes a byte of punctuation, or starts the value that begins with this byte. Returns false
   * if the byte is not allowed here.
   */
  function accept(byte: number): boolean {
    switch (expected) {
      case '{':
        return byte === openCurly && take(byte, 'key or }');
      case 'key or }':
        return byte === closeCurly ? take(byte, 'end of the document') : byte === quote && begin('key', byte, ':');
      case 'key':
        return byte === quote && begin('key', byte, ':');
      case ':':
        return byte === colon && take(byte, 'value');
      case 'value':
        if (isItemsKey && byte === openSquare) return take(byte, 'item or ]');
        return (!isItemsKey || byte === n) && !isDelimiter(byte) && begin('member', byte, ', or }');
      case ', or }':
        return byte === comma ? take(byte, 'key') : byte === closeCurly && take(byte, 'end of the document');
      case 'item or ]':
        return byte === closeSquare ? take(byte, ', or }') : !isDelimiter(byte) && begin('item', byte, ', or ]');
      case 'item':
        return !isDelimiter(byte) && begin('item', byte, ', or ]');
      case ', or ]':
        return byte === comma ? take(byte, 'item') : byte === closeSquare && take(byte, ', or }');
      case 'end of the document':
        return false;
    }
  }

  /** Continues the current value, and returns the index after the consumed bytes. */
  function proceed(bytes: Uint8Array, from: number, receive: (item: ScannedText) => void): number {
    if (reading === 'item' && partialItem.length === 0) {
      const end = scanner.scanItem(from);
      if (end !== -1) {
        checkLength(bytes.subarray(from, end));
        reading = undefined;
        receive(scanner.text);
        return end;
      }
    }
    const found = values.scan(bytes, from);
    const isWhole = found !== -1;
    const to = isWhole ? found : bytes.length;
    const piece = bytes.subarray(from, to);
    if (reading === 'item') {
      keepItem(piece, isWhole, receive);
    } else {
      keepInEnvelope(piece);
    }
    if (isWhole && reading === 'key') endKey();
    if (isWhole) reading = undefined;
    return to;
  }

  function keepItem(piece: Uint8Array, isWhole: boolean, receive: (item: ScannedText) => void): void {
    checkLength(piece);
    if (isWhole && partialItem.length === 0) return receive(scanner.scan('item', piece));
    partialItem.append(piece);
    if (isWhole) receive(scanner.scan('item', partialItem.take()));
  }

  function checkLength(piece: Uint8Array): void {
    const length = partialItem.length + piece.length;
    if (length <= maxItemLength) return;
    const beginning = partialItem.length > 0 ? partialItem.peek() : piece;
    throw wireError(`an item is longer than ${maxItemLength} bytes`, beginning, length);
  }

  function keepInEnvelope(piece: Uint8Array): void {
    envelope.append(piece);
    if (envelope.length > maxEnvelopeLength) {
      throw wireError(`not a list: more than ${maxEnvelopeLength} bytes besides its items`, envelope.peek());
    }
  }

  function endKey(): void {
    isItemsKey = decodeJson(envelope.peek().subarray(keyStart)) === 'items';
    if (isItemsKey && hasItems) throw wireError('not a list: it has "items" twice', envelope.peek());
    hasItems ||= isItemsKey;
  }

  return {
    push(bytes, receive) {
      scanner.open(bytes);
      let at = 0;
      while (at < bytes.length) {
        if (isInValue()) {
          at = proceed(bytes, at, receive);
          continue;
        }
        const byte = bytes[at] as number;
        if (isWhitespace(byte)) {
          at++;
        } else if (!accept(byte)) {
          throw unexpected(expected, bytes.subarray(at));
        } else if (!isInValue()) {
          at++;
        }
      }
    },
    end() {
      if (expected !== 'end of the document') {
        throw wireError(`the list is cut off: expected ${expected}`, envelope.peek());
      }
      return readListEnvelope(decodeJson(envelope.peek()), hasItems);
    },
  };
}

function unexpected(expected: Expected, rest: Uint8Array): RxInformersError<'RXI_WIRE'> {
  return wireError(`not a list: expected ${expected}`, rest);
}

function isDelimiter(byte: number): boolean {
  return byte === comma || byte === colon || byte === closeCurly || byte === closeSquare;
}

/** Finds the end of one JSON value in a stream of bytes. */
interface ValueScanner {
  /** Starts a value whose first byte is `first`. Pass the same byte to `scan` again. */
  start(first: number): void;
  /**
   * Returns the index after the value. Returns -1 if `bytes` end before the value does; then call
   * `scan` with the next chunk, from 0.
   */
  scan(bytes: Uint8Array, from: number): number;
}

const space = 0x20;

/**
 * Creates a scanner that only counts brackets and skips strings. It also finds an end for a value
 * that is not valid JSON; parsing that value fails later.
 */
function createValueScanner(): ValueScanner {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let isPrimitive = false;

  function scanPrimitive(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === comma || (byte | curlyBit) === closeCurly || byte <= space) return at;
    }
    return -1;
  }

  return {
    start(first) {
      depth = 0;
      inString = false;
      escaped = false;
      isPrimitive = first !== quote && (first | curlyBit) !== openCurly;
    },
    scan(bytes, from) {
      if (from >= bytes.length) return -1;
      if (isPrimitive) return scanPrimitive(bytes, from);
      // For speed, this loop works on local variables and stores them only at the end of a chunk.
      const end = bytes.length;
      const view = new DataView(bytes.buffer, bytes.byteOffset, end);
      let at = from;
      let level = depth;
      if (escaped) at++;
      let isInside = inString;
      while (at < end) {
        if (isInside) {
          at = endOfString(bytes, view, at);
          if (at >= end) break;
          isInside = false;
          at++;
          if (level === 0) return at;
        }
        while (at < end) {
          const byte = bytes[at++] as number;
          if (byte === quote) {
            isInside = true;
            break;
          }
          const bracket = byte | curlyBit;
          if (bracket === openCurly) {
            level++;
          } else if (bracket === closeCurly && --level === 0) {
            return at;
          }
        }
      }
      depth = level;
      inString = isInside;
      escaped = at > end;
      return -1;
    },
  };
}
