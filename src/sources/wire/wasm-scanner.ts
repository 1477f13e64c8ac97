import { backslash, decodeJson, quote } from './bytes.js';
import { createParsingScanner } from './parsing-scanner.js';
import { scannerModule } from './scanner-module.js';
import type { Digest, MetadataField, ScannedText, ScannerOptions, TextKind, TextScanner } from './scanner.js';

/** The exports of `assembly/index.ts`. Positions are addresses in its memory, or 0 for none. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  /** Returns the address after a text; 0 if it is cut off or not an object. */
  readonly scan: (level: number, from: number, to: number, isAlone: number) => number;
  readonly digest: (isWhole: number) => void;
  /** Returns the number of bytes that it has written to `output`. */
  readonly assemble: (from: number, to: number, omitsManagedFields: number, zeros: number) => number;
  readonly capacity: WebAssembly.Global<'i32'>;
  readonly key: WebAssembly.Global<'i32'>;
  readonly digestAt: WebAssembly.Global<'i32'>;
  readonly found: WebAssembly.Global<'i32'>;
  readonly input: WebAssembly.Global<'i32'>;
  readonly output: WebAssembly.Global<'i32'>;
}

/** The WebAssembly instance that all scanners of the process share. It holds one text at a time. */
export interface WasmEngine {
  readonly exports: Pick<Exports, 'scan' | 'digest' | 'assemble'>;
  readonly memory: Uint8Array;
  readonly digest: Uint16Array;
  readonly found: Int32Array;
  readonly capacity: number;
  readonly input: number;
  readonly output: number;
  /** The scanner whose text is in the memory. */
  owner: TextScanner | undefined;
}

/** The first of two slots, begin and end, in the order of `assembly/memory.ts`. */
const slots: Readonly<Record<MetadataField, number>> = { name: 0, namespace: 2, uid: 4, resourceVersion: 6 };
const omittedSlot = 8;
const specSlot = 10;
const isUpsertSlot = 12;
const isIrregularSlot = 13;
const bodySlot = 14;
const slotCount = 16;
/** Where the hashes of `metadata` and `spec` begin in a whole digest, and its length. */
const ofMetadata = 8;
const ofSpec = 12;
const digestLength = 20;

/**
 * Compiles the module, with a random key for digests. Throws without WebAssembly and SIMD, or if a
 * content security policy forbids WebAssembly (`wasm-unsafe-eval`).
 */
export function createWasmEngine(): WasmEngine {
  const binary = Uint8Array.from(scannerModule.match(/../g) ?? [], (digits) => parseInt(digits, 16));
  const exports = new WebAssembly.Instance(new WebAssembly.Module(binary)).exports as unknown as Exports;
  const { buffer } = exports.memory;
  crypto.getRandomValues(new Uint8Array(buffer, exports.key.value, 16));
  return {
    exports,
    memory: new Uint8Array(buffer),
    digest: new Uint16Array(buffer, exports.digestAt.value, digestLength),
    found: new Int32Array(buffer, exports.found.value, slotCount),
    capacity: exports.capacity.value,
    input: exports.input.value,
    output: exports.output.value,
    owner: undefined,
  };
}

/**
 * Creates a scanner in WebAssembly. A text is copied to its memory, alone or in a chunk, and
 * decoded without the omitted parts. A text that does not fit is parsed whole.
 */
export function createWasmScanner(engine: WasmEngine, options: ScannerOptions): TextScanner {
  const { exports, memory, digest, found, capacity, input, output } = engine;
  const fallback = createParsingScanner();
  const omitsManagedFields = options.omitManagedFields ? 1 : 0;
  let text: ScannedText;
  let chunk: Uint8Array = noBytes;
  /** The part of the chunk that is in the memory, if this scanner owns it. */
  let windowStart = 0;
  let windowEnd = 0;
  /** The text is from `start` to `end` of `source`, and at `address` in the memory. */
  let source: Uint8Array = noBytes;
  let start = 0;
  let end = 0;
  let level = 0;
  let address = 0;
  /** The number of digests that are computed: none, that of the `spec`, or both. */
  let digested = 0;

  /** Copies bytes to the memory. */
  function load(bytes: Uint8Array): void {
    engine.owner = scanner;
    memory.set(bytes, input);
  }

  function loadWindow(from: number): void {
    windowStart = from;
    windowEnd = Math.min(from + capacity, chunk.length);
    load(from === 0 && windowEnd === chunk.length ? chunk : chunk.subarray(from, windowEnd));
  }

  function scanAlone(bytes: Uint8Array): void {
    load(bytes);
    windowEnd = 0;
    address = input;
    digested = 0;
    exports.scan(level, address, address + bytes.length, 1);
  }

  /** Loads the text again if another scanner has used the memory meanwhile. */
  function reclaim(): void {
    if (engine.owner !== scanner) scanAlone(source.subarray(start, end));
  }

  function isRegular(): boolean {
    reclaim();
    return found[isIrregularSlot] === 0;
  }

  function computeDigests(count: 1 | 2): boolean {
    if (!isRegular() || found[bodySlot] === 0) return false;
    if (digested < count) exports.digest((digested = count) - 1);
    return true;
  }

  /** Returns true if the units from `from` to `to` are those of `other` from `otherFrom` on. */
  function isHash(from: number, to: number, other: Digest, otherFrom: number): boolean {
    for (let index = from; index < to; index++) {
      if (digest[index] !== other.charCodeAt(otherFrom + index - from)) return false;
    }
    return true;
  }

  /** Returns true if a part has its hash in `other`, where the hashes of parts are at the end. */
  function hasPart(from: number, to: number, other: Digest): boolean {
    return other !== '' && computeDigests(1) && isHash(from, to, other, other.length - digestLength + from);
  }

  function decode(from: number, length: number): unknown {
    try {
      return decodeJson(memory.subarray(from, from + length));
    } catch {
      // The error of this second attempt shows the text as it was received.
      return decodeJson(source.subarray(start, end));
    }
  }

  const own: ScannedText = {
    get bytes() {
      return source.subarray(start, end);
    },
    get isUpsert() {
      return level === 1 ? isRegular() : isRegular() && found[isUpsertSlot] === 1;
    },
    field(name) {
      if (!isRegular()) return undefined;
      const slot = slots[name];
      const from = found[slot] as number;
      return memory[from] === quote ? asciiText(memory, from + 1, (found[slot + 1] as number) - 1) : undefined;
    },
    hasFieldValue(name, value) {
      return isRegular() && isAsciiText(memory, found[slots[name]] as number, value);
    },
    digest(isWhole) {
      if (!computeDigests(isWhole ? 2 : 1)) return undefined;
      const hasSpec = found[specSlot] !== 0;
      if (!isWhole && !hasSpec) return undefined;
      return digestText(digest).slice(isWhole ? 0 : ofMetadata, hasSpec ? digestLength : ofMetadata);
    },
    hasDigest: (other) => other !== '' && computeDigests(2) && isHash(0, ofMetadata, other, 0),
    hasSpecDigest: (other) => hasPart(ofSpec, digestLength, other),
    hasMetadataDigest: (other) => omitsManagedFields === 1 && hasPart(ofMetadata, ofSpec, other),
    parse() {
      reclaim();
      const length = end - start;
      if (omitsManagedFields === 0 || found[omittedSlot] === 0) return decode(address, length);
      return decode(output, exports.assemble(address, address + length, 1, 0));
    },
    parseWithoutSpec(omitsMetadata) {
      reclaim();
      const zeros = omitsMetadata ? 2 : 1;
      return decode(output, exports.assemble(address, address + end - start, omitsManagedFields, zeros));
    },
  };
  text = own;
  const scanner: TextScanner = {
    get text() {
      return text;
    },
    scan(kind, bytes) {
      // While the items of a chunk are scanned, the chunk stays in the memory. The few texts that
      // are scanned alone meanwhile (very long ones, or not objects) use the fallback.
      if (bytes.length > capacity || (windowEnd > 0 && engine.owner === scanner)) {
        return (text = fallback.scan(kind, bytes));
      }
      text = own;
      source = bytes;
      start = 0;
      end = bytes.length;
      level = levels[kind];
      scanAlone(bytes);
      return text;
    },
    open(newChunk) {
      chunk = newChunk;
      windowEnd = 0;
    },
    scanItem(from) {
      if (engine.owner !== scanner || windowEnd <= from) loadWindow(from);
      let scannedTo = exports.scan(1, input + from - windowStart, input + windowEnd - windowStart, 0);
      if (scannedTo === 0 && windowEnd < chunk.length && windowEnd - from < capacity / 2) {
        loadWindow(from);
        scannedTo = exports.scan(1, input, input + windowEnd - windowStart, 0);
      }
      if (scannedTo === 0) return -1;
      text = own;
      source = chunk;
      start = from;
      address = input + from - windowStart;
      end = from + scannedTo - address;
      level = 1;
      digested = 0;
      return end;
    },
  };
  return scanner;
}

const noBytes = /*#__PURE__*/ new Uint8Array(0);
const levels: Readonly<Record<TextKind, number>> = { line: 0, item: 1 };

/** Returns the twenty units as a string; spreading them would take ten times as long. */
function digestText(units: Uint16Array): Digest {
  const unit = (index: number): number => units[index] as number;
  // oxfmt-ignore
  return String.fromCharCode(
    unit(0), unit(1), unit(2), unit(3), unit(4), unit(5), unit(6), unit(7),
    unit(8), unit(9), unit(10), unit(11), unit(12), unit(13), unit(14), unit(15),
    unit(16), unit(17), unit(18), unit(19),
  );
}

const oneByteText = /*#__PURE__*/ new TextDecoder('latin1');

/** The longest text that is decoded, in bytes. Names have 253 characters at most. */
const maxTextLength = 1024;

/** Returns the text; `undefined` if very long, with escapes, or not plain ASCII. */
function asciiText(bytes: Uint8Array, from: number, to: number): string | undefined {
  if (to - from > maxTextLength) return undefined;
  for (let at = from; at < to; at++) if (!isPlain(bytes[at] as number)) return undefined;
  // `decode` takes a quarter of the time of `String.fromCharCode`.
  return oneByteText.decode(bytes.subarray(from, to));
}

/** Returns true if `asciiText` of the string that begins with a quote at `from` is `text`. */
function isAsciiText(bytes: Uint8Array, from: number, text: string): boolean {
  const { length } = text;
  if (length > maxTextLength || bytes[from] !== quote || bytes[from + length + 1] !== quote) return false;
  for (let index = 0; index < length; index++) {
    const unit = text.charCodeAt(index);
    if (bytes[from + index + 1] !== unit || !isPlain(unit)) return false;
  }
  return true;
}

/** Returns true for a character that needs no escape in a JSON string and is one byte in UTF-8. */
function isPlain(unit: number): boolean {
  return unit >= 0x20 && unit <= 0x7e && unit !== quote && unit !== backslash;
}
