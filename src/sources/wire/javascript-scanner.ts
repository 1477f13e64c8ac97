import {
  asciiText,
  backslash,
  closeCurly,
  comma,
  curlyBit,
  decodeJson,
  endOfString,
  endOfValue,
  isAsciiText,
  isWhitespace,
  openCurly,
  quote,
  quoted,
  skipWhitespace,
  spells,
  walkMembers,
  type MemberVisitor,
} from './bytes.js';
import type { Field, ScannedText, ScannerOptions, TextKind, TextScanner } from './scanner.js';

const type = /*#__PURE__*/ quoted('type');
const added = /*#__PURE__*/ quoted('ADDED');
const modified = /*#__PURE__*/ quoted('MODIFIED');
const object = /*#__PURE__*/ quoted('object');
const metadata = /*#__PURE__*/ quoted('metadata');
const spec = /*#__PURE__*/ quoted('spec');
const managedFields = /*#__PURE__*/ quoted('managedFields');
const fields: readonly Field[] = ['name', 'namespace', 'uid', 'resourceVersion'];
const fieldKeys = /*#__PURE__*/ fields.map(quoted);

/** JSON can escape a letter in one way only: as `\u0061`. */
const letterU = 0x75;

const noBytes = /*#__PURE__*/ new Uint8Array(0);

/**
 * Creates the scanner that every JavaScript engine can run. It computes no digests, because in
 * JavaScript that takes longer than parsing.
 *
 * An item is walked once, from its first byte to its last. A line is walked up to the end of its
 * `metadata`, and once more as a whole if a field is requested.
 */
export function createJavaScriptScanner({ omitManagedFields }: ScannerOptions): TextScanner {
  let chunk: Uint8Array = noBytes;
  let bytes: Uint8Array = noBytes;
  let view = viewOf(noBytes);
  let start = 0;
  let end = 0;
  let kind: TextKind = 'item';
  let walked: 'nothing' | 'managedFields' | 'everything' = 'nothing';
  let irregularities = 0;
  let isUpsert = false;
  let omitted: Span | undefined;
  const values = new Int32Array(fields.length);
  const seen = { type: false, object: false, metadata: false, spec: false, managedFields: false };
  const shorten = createShortener();

  function begin(newKind: TextKind, newBytes: Uint8Array, from: number): void {
    if (bytes !== newBytes) view = viewOf(newBytes);
    bytes = newBytes;
    start = from;
    end = newBytes.length;
    kind = newKind;
    walked = 'nothing';
  }

  /** Returns the index after the object, or -1 if the walk ended earlier. */
  function walk(until: 'managedFields' | 'everything'): number {
    walked = until;
    irregularities = 0;
    isUpsert = kind === 'item';
    omitted = undefined;
    values.fill(-1);
    seen.type = seen.object = seen.metadata = seen.spec = seen.managedFields = false;
    return walkMembers(bytes, view, start, kind === 'line' ? visitLine : visitObject);
  }

  function walkWholeText(): void {
    if (walked === 'everything') return;
    const behind = walk('everything');
    if (behind === -1 || skipWhitespace(bytes, behind) !== end) irregularities++;
  }

  const visitLine: MemberVisitor = (keyStart, keyEnd, valueStart) => {
    checkKey(keyStart, keyEnd);
    if (spells(bytes, keyStart, object) && isFirst('object')) return descend(valueStart, visitObject);
    if (spells(bytes, keyStart, type) && isFirst('type')) {
      isUpsert = spells(bytes, valueStart, modified) || spells(bytes, valueStart, added);
    }
    return endOfValue(bytes, view, valueStart);
  };
  const visitObject: MemberVisitor = (keyStart, keyEnd, valueStart) => {
    checkKey(keyStart, keyEnd);
    if (spells(bytes, keyStart, metadata) && isFirst('metadata')) return walkMetadata(valueStart);
    if (spells(bytes, keyStart, spec)) isFirst('spec');
    return endOfValue(bytes, view, valueStart);
  };
  const visitMetadata: MemberVisitor = (keyStart, keyEnd, valueStart) => {
    checkKey(keyStart, keyEnd);
    const valueEnd = endOfValue(bytes, view, valueStart);
    if (spells(bytes, keyStart, managedFields)) {
      if (isFirst('managedFields') && omitManagedFields && valueEnd !== -1) {
        omitted = spanOfMember(bytes, keyStart, valueStart, valueEnd);
      }
      return valueEnd;
    }
    for (let index = 0; index < fieldKeys.length; index++) {
      if (!spells(bytes, keyStart, fieldKeys[index] as Uint8Array)) continue;
      if (values[index] !== -1) irregularities++;
      values[index] = valueStart;
    }
    return valueEnd;
  };

  function checkKey(keyStart: number, keyEnd: number): void {
    for (let at = keyStart; at < keyEnd; at++) {
      if (bytes[at] === backslash && bytes[++at] === letterU) irregularities++;
    }
  }

  /**
   * Returns true for the first member with this key. A second member is ignored, and makes the text
   * irregular.
   */
  function isFirst(key: keyof typeof seen): boolean {
    const isSecond = seen[key];
    if (isSecond) irregularities++;
    seen[key] = true;
    return !isSecond;
  }

  function descend(valueStart: number, visit: MemberVisitor): number {
    return bytes[valueStart] === openCurly
      ? walkMembers(bytes, view, valueStart, visit)
      : endOfValue(bytes, view, valueStart);
  }

  /** Walks `metadata`. If it is irregular, nothing is cut out of it. */
  function walkMetadata(valueStart: number): number {
    const outside = irregularities;
    const behind = descend(valueStart, visitMetadata);
    if (behind === -1 || irregularities > outside) omitted = undefined;
    return walked === 'managedFields' ? -1 : behind;
  }

  /** Returns the index of the first byte of a field's value; -1 if there is none. */
  function indexOf(name: Field): number {
    walkWholeText();
    return irregularities === 0 ? (values[fields.indexOf(name)] as number) : -1;
  }

  const text: ScannedText = {
    get bytes() {
      return bytes.subarray(start, end);
    },
    get isUpsert() {
      walkWholeText();
      return irregularities === 0 && isUpsert;
    },
    field(name) {
      const at = indexOf(name);
      if (at === -1 || bytes[at] !== quote) return undefined;
      return asciiText(bytes, at + 1, endOfString(bytes, view, at + 1));
    },
    spells(name, value) {
      const at = indexOf(name);
      return at !== -1 && isAsciiText(bytes, at, value);
    },
    digest: () => undefined,
    hasDigest: () => false,
    hasSpecDigest: () => false,
    parse() {
      if (omitManagedFields && walked === 'nothing') walk('managedFields');
      if (omitted !== undefined) {
        try {
          return decodeJson(shorten(bytes, start, end, omitted));
        } catch {
          // This error is dropped: `decodeJson` below throws an error that shows the text as it was
          // received.
        }
      }
      return decodeJson(text.bytes);
    },
    parseWithoutSpec() {
      throw new Error('parseWithoutSpec() is for texts whose spec has a digest');
    },
  };

  return {
    text,
    scan(newKind, newBytes) {
      begin(newKind, newBytes, 0);
      return text;
    },
    open(newChunk) {
      chunk = newChunk;
    },
    scanItem(from) {
      begin('item', chunk, from);
      const behind = walk('everything');
      if (behind !== -1) end = behind;
      return behind;
    },
  };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** A part of a text, from the index of its first byte up to, but not including, `to`. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * The difference between a closing bracket and its opening bracket, the same for both kinds of
 * brackets.
 */
const toClosing = 2;

/**
 * Returns the range to cut out of a text to remove a member that was visited: the member and one
 * comma.
 *
 * Returns `undefined` if the bytes end before the member ends, if its value is neither object nor
 * array, or if neither another member nor the end of the object follows. Otherwise an invalid text
 * could become valid by the cut.
 */
function spanOfMember(bytes: Uint8Array, keyStart: number, valueStart: number, valueEnd: number): Span | undefined {
  const opening = bytes[valueStart] as number;
  if ((opening | curlyBit) !== openCurly || bytes[valueEnd - 1] !== opening + toClosing) return undefined;
  const next = skipWhitespace(bytes, valueEnd);
  if (bytes[next] === comma) {
    const following = skipWhitespace(bytes, next + 1);
    return bytes[following] === quote ? { from: keyStart, to: following } : undefined;
  }
  if (bytes[next] !== closeCurly) return undefined;
  let previous = keyStart - 1;
  while (isWhitespace(bytes[previous])) previous--;
  return { from: bytes[previous] === comma ? previous : keyStart, to: valueEnd };
}

/** The longest text, in bytes, that is copied into the reused buffer. */
const keptLength = 1024 * 1024;

/**
 * Returns a function that copies the text from `start` to `end` without `omitted`. The copy is
 * valid until the next call: one buffer serves all texts, because an allocation for each would cost
 * more than the copy.
 */
function createShortener(): (bytes: Uint8Array, start: number, end: number, omitted: Span) => Uint8Array {
  let kept: Uint8Array = noBytes;
  return (bytes, start, end, { from, to }) => {
    const head = from - start;
    const length = head + end - to;
    let buffer = kept;
    if (buffer.length < length) {
      buffer = new Uint8Array(length > keptLength ? length : Math.min(length * 2, keptLength));
      if (length <= keptLength) kept = buffer;
    }
    buffer.set(bytes.subarray(start, from));
    buffer.set(bytes.subarray(to, end), head);
    return buffer.subarray(0, length);
  };
}
