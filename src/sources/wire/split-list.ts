import {
  closeCurly,
  closeSquare,
  colon,
  comma,
  createByteAccumulator,
  createShortener,
  decodeJson,
  isWhitespace,
  openCurly,
  openSquare,
  quote,
  wireError,
  type MemberPath,
  type WireError,
} from './bytes.js';
import { createValueScanner } from './value-scanner.js';

export interface ListSplitterOptions {
  /** The longest item in bytes; default 64 MiB. It bounds what one broken answer can make this process hold. */
  readonly maxItemLength?: number | undefined;
  /** The most bytes beside the items; default 1 MiB. A list has some hundred; what has more is something else. */
  readonly maxEnvelopeLength?: number | undefined;
  /**
   * A member that is cut out of each item, so that it need not be parsed: `['metadata', 'managedFields']`. Default none.
   * It is left in if a key is written with escapes, or if its value is neither object nor array; of two in one item, one may be left
   * in. What is wrong within its value is not noticed.
   */
  readonly omit?: MemberPath | undefined;
}

/** Cuts a list, as it is read, into its items. */
export interface ListSplitter {
  /**
   * Returns the items of the top-level `items` that `bytes` complete, in order; each is the JSON text of one item.
   *
   * An item that lies in one chunk is a view into `bytes`, valid as long as the chunk is; if something was cut out of it, it is valid
   * until the next `push`.
   *
   * @throws WireError for what is no JSON object, or has `items` that are no array; the splitter is of no further use then
   */
  push(bytes: Uint8Array): readonly Uint8Array[];
  /**
   * Returns the list without its items.
   *
   * @throws WireError if the document is cut off
   */
  end(): ListEnvelope;
}

/** What may come next outside of a value, in the words of the error message. */
type Expected =
  '{' | 'key or }' | 'key' | ':' | 'value' | ', or }' | 'item or ]' | 'item' | ', or ]' | 'end of the document';

const n = 0x6e;

/**
 * Creates a splitter for one list, however long: the document is never held as a whole, let alone as one string.
 *
 * **Guarantees**: any chunking, any order of keys, any whitespace; each byte is looked at once, or twice in an item that lies across
 * two chunks and has something to omit; only such items, and those that something is cut out of, are copied.
 * **Does not guarantee**: that an item is valid JSON in itself; parsing it says so.
 */
export function createListSplitter({
  maxItemLength = 64 * 1024 * 1024,
  maxEnvelopeLength = 1024 * 1024,
  omit,
}: ListSplitterOptions = {}): ListSplitter {
  const envelope = createByteAccumulator();
  const partialItem = createByteAccumulator();
  const scanner = createValueScanner({ omit });
  const shortener = createShortener();
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
    scanner.start(first);
    expected = next;
    keyStart = envelope.length;
    return true;
  }

  /** Takes a byte that stands for itself, or begins the value whose first byte it is; false where it has no business. */
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

  /** Continues the value that was begun, and returns the index behind what it took. */
  function proceed(bytes: Uint8Array, from: number, items: Uint8Array[]): number {
    const found = scanner.scan(bytes, from);
    const isWhole = found !== -1;
    const to = isWhole ? found : bytes.length;
    const piece = bytes.subarray(from, to);
    if (reading === 'item') {
      keepItem(piece, isWhole, items);
    } else {
      keepInEnvelope(piece);
    }
    if (isWhole && reading === 'key') endKey();
    if (isWhole) reading = undefined;
    return to;
  }

  function keepItem(piece: Uint8Array, isWhole: boolean, items: Uint8Array[]): void {
    const length = partialItem.length + piece.length;
    if (length > maxItemLength) {
      const beginning = partialItem.length > 0 ? partialItem.peek() : piece;
      throw wireError(`an item is longer than ${maxItemLength} bytes`, beginning, length);
    }
    if (isWhole && partialItem.length === 0) {
      items.push(scanner.omitted === undefined ? piece : shortener.copyWithout(piece, scanner.omitted));
      return;
    }
    partialItem.append(piece);
    if (isWhole) items.push(omit === undefined ? partialItem.take() : shorten(partialItem.take()));
  }

  /** An item that came in pieces is scanned once more, now that it is whole: that is less work than parsing what it can lack. */
  function shorten(item: Uint8Array): Uint8Array {
    scanner.start(item[0] as number);
    scanner.scan(item, 0);
    const { omitted } = scanner;
    if (omitted === undefined) return item;
    item.copyWithin(omitted.from, omitted.to);
    return item.subarray(0, item.length - (omitted.to - omitted.from));
  }

  function keepInEnvelope(piece: Uint8Array): void {
    envelope.append(piece);
    if (envelope.length > maxEnvelopeLength) {
      throw wireError(`not a list: more than ${maxEnvelopeLength} bytes beside its items`, envelope.peek());
    }
  }

  function endKey(): void {
    isItemsKey = decodeJson(envelope.peek().subarray(keyStart)) === 'items';
    if (isItemsKey && hasItems) throw wireError('not a list: it has "items" twice', envelope.peek());
    hasItems ||= isItemsKey;
  }

  return {
    push(bytes) {
      const items: Uint8Array[] = [];
      shortener.reset(bytes.length);
      let at = 0;
      while (at < bytes.length) {
        if (isInValue()) {
          at = proceed(bytes, at, items);
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
      return items;
    },
    end() {
      if (expected !== 'end of the document') {
        throw wireError(`the list is cut off: the next would be ${expected}`, envelope.peek());
      }
      return readListEnvelope(decodeJson(envelope.peek()), hasItems);
    },
  };
}

function unexpected(expected: Expected, rest: Uint8Array): WireError {
  return wireError(`not a list: ${expected} expected`, rest);
}

function isDelimiter(byte: number): boolean {
  return byte === comma || byte === colon || byte === closeCurly || byte === closeSquare;
}

/** A list without its items. */
export interface ListEnvelope {
  /** For example `PodList`; `''` where the server gave none. */
  readonly kind: string;
  /** `''` where the server gave none. */
  readonly apiVersion: string;
  readonly metadata: ListEnvelopeMetadata;
  /** Whether there was a top-level `items` (an array or `null`): what has none is no list. */
  readonly hasItems: boolean;
}

export interface ListEnvelopeMetadata {
  readonly resourceVersion?: string;
  /** Asks for the next page; absent, or `''`, on the last one. */
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Reads the envelope of a decoded list, without fields of another type than they should have. */
function readListEnvelope(decoded: unknown, hasItems: boolean): ListEnvelope {
  const { kind, apiVersion, metadata } = fieldsOf(decoded);
  const { resourceVersion, continue: continueToken, remainingItemCount } = fieldsOf(metadata);
  return {
    kind: typeof kind === 'string' ? kind : '',
    apiVersion: typeof apiVersion === 'string' ? apiVersion : '',
    metadata: {
      ...(typeof resourceVersion === 'string' && { resourceVersion }),
      ...(typeof continueToken === 'string' && { continue: continueToken }),
      ...(typeof remainingItemCount === 'number' && { remainingItemCount }),
    },
    hasItems,
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
