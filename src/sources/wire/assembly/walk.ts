import {
  body,
  get,
  isIrregular,
  isUpsert,
  metadata,
  name,
  namespace,
  omitted,
  resourceVersion,
  seenManagedFields,
  seenMetadata,
  seenObject,
  seenType,
  set,
  spec,
  uid,
} from './memory';
import {
  closeCurly,
  colon,
  comma,
  curlyBit,
  end,
  endOfString,
  endOfValue,
  hasEscape,
  openCurly,
  quote,
  skipWhitespace,
  skipWhitespaceBackwards,
} from './skip';

/*
 * Visits the members of a line, of its object and of `metadata`. `../scanner.ts` says which texts
 * are irregular, and so are parsed whole.
 */

/* Keys as little-endian numbers: the first bytes of each key, or the last bytes. */
const typeKey: u32 = 0x65707974;
const obje: u32 = 0x656a626f;
const ct: u16 = 0x7463;
const metadataKey: u64 = 0x617461646174656d;
const specKey: u32 = 0x63657073;
const kindKey: u32 = 0x646e696b;
const apiVersi: u64 = 0x6973726556697061;
const on: u16 = 0x6e6f;
const nameKey: u32 = 0x656d616e;
const ui: u16 = 0x6975;
const d: u8 = 0x64;
const namespac: u64 = 0x63617073656d616e;
const e: u8 = 0x65;
const resource: u64 = 0x656372756f736572;
const eVersion: u64 = 0x6e6f697372655665;
const managedF: u64 = 0x46646567616e616d;
const edFields: u64 = 0x73646c6569466465;
const quoteAdd: u32 = 0x44444122;
const dedQuote: u32 = 0x22444544;
const quoteModifie: u64 = 0x45494649444f4d22;
const dQuote: u16 = 0x2244;

/** The levels that are walked: a line, its object, and the metadata of the object. */
export const line: i32 = 0;
export const object: i32 = 1;
const metadataLevel: i32 = 2;

/** Returns the address after an object; 0 if it is malformed, cut off, or not an object. */
export function walk(level: i32, from: usize): usize {
  if (load<u8>(from) != openCurly) return 0;
  let at = skipWhitespace(from + 1);
  if (load<u8>(at) == closeCurly) return at + 1;
  while (load<u8>(at) == quote) {
    const keyStart = at;
    const keyEnd = endOfString(at + 1);
    const isEscaped = hasEscape;
    const separator = skipWhitespace(keyEnd + 1);
    if (load<u8>(separator) != colon) return 0;
    const valueStart = skipWhitespace(separator + 1);
    if (valueStart >= end) return 0;
    if (isEscaped) set(isIrregular, 1);
    const valueEnd = visit(level, keyStart + 1, i32(keyEnd - keyStart - 1), valueStart);
    if (valueEnd == 0) return 0;
    at = skipWhitespace(valueEnd);
    const next = load<u8>(at);
    if (next == closeCurly) {
      if (level == object) set(body + 1, at + 1);
      return at + 1;
    }
    if (next != comma) return 0;
    at = skipWhitespace(at + 1);
  }
  return 0;
}

/** Returns the address after the value of the member; 0 to end the walk. */
function visit(level: i32, key: usize, length: i32, value: usize): usize {
  if (level == metadataLevel) return visitMetadata(key, length, value);
  if (level == object) {
    if (get(body) == 0 && !isTypeMeta(key, length)) set(body, key - 1);
    if (length == 8 && load<u64>(key) == metadataKey) {
      if (isFirst(seenMetadata)) return mark(metadata, value, walkMetadata(value));
    } else if (length == 4 && load<u32>(key) == specKey) {
      return markOnce(spec, value, endOfValue(value));
    }
  } else if (length == 6 && load<u32>(key) == obje && load<u16>(key, 4) == ct) {
    if (isFirst(seenObject)) return descend(object, value);
  } else if (length == 4 && load<u32>(key) == typeKey && isFirst(seenType)) {
    set(isUpsert, usize(isAdded(value) || isModified(value)));
  }
  return endOfValue(value);
}

/** Returns true if a key is `kind` or `apiVersion`. */
function isTypeMeta(key: usize, length: i32): bool {
  if (length == 4) return load<u32>(key) == kindKey;
  return length == 10 && load<u64>(key) == apiVersi && load<u16>(key, 8) == on;
}

/** Returns true for the first member with this key. Another makes the text irregular. */
function isFirst(slot: i32): bool {
  const isSecond = get(slot) != 0;
  set(isSecond ? isIrregular : slot, 1);
  return !isSecond;
}

function visitMetadata(key: usize, length: i32, value: usize): usize {
  const valueEnd = endOfValue(value);
  if (length == 4) {
    if (load<u32>(key) == nameKey) return markOnce(name, value, valueEnd);
  } else if (length == 3) {
    if (load<u16>(key) == ui && load<u8>(key, 2) == d) return markOnce(uid, value, valueEnd);
  } else if (length == 9) {
    if (load<u64>(key) == namespac && load<u8>(key, 8) == e) return markOnce(namespace, value, valueEnd);
  } else if (length == 15) {
    if (load<u64>(key) == resource && load<u64>(key, 7) == eVersion) return markOnce(resourceVersion, value, valueEnd);
  } else if (length == 13) {
    if (load<u64>(key) == managedF && load<u64>(key, 5) == edFields) {
      if (isFirst(seenManagedFields) && valueEnd != 0) markOmitted(key - 1, value, valueEnd);
    }
  }
  return valueEnd;
}

function descend(level: i32, value: usize): usize {
  return load<u8>(value) == openCurly ? walk(level, value) : endOfValue(value);
}

/** Walks `metadata`. If it is irregular, nothing is cut out of it. */
function walkMetadata(value: usize): usize {
  const wasIrregular = get(isIrregular);
  set(isIrregular, 0);
  const behind = descend(metadataLevel, value);
  if (behind == 0 || get(isIrregular) != 0) set(omitted, 0);
  set(isIrregular, get(isIrregular) | wasIrregular);
  return behind;
}

function mark(slot: i32, from: usize, to: usize): usize {
  set(slot, from);
  set(slot + 1, to);
  return to;
}

function markOnce(slot: i32, from: usize, to: usize): usize {
  if (get(slot) != 0) set(isIrregular, 1);
  return mark(slot, from, to);
}

/**
 * Marks the range to cut out: the member and one comma. An invalid text must not become valid, so
 * the value must be an object or array, and a member or the end of the object must follow.
 */
function markOmitted(keyStart: usize, value: usize, valueEnd: usize): void {
  const opening = load<u8>(value);
  if ((opening | curlyBit) != openCurly || load<u8>(valueEnd - 1) != opening + 2) return;
  const next = skipWhitespace(valueEnd);
  if (load<u8>(next) == comma) {
    const following = skipWhitespace(next + 1);
    if (load<u8>(following) == quote) mark(omitted, keyStart, following);
  } else if (load<u8>(next) == closeCurly) {
    const previous = skipWhitespaceBackwards(keyStart - 1);
    mark(omitted, load<u8>(previous) == comma ? previous : keyStart, valueEnd);
  }
}

/** Returns true if `"ADDED"` stands at `at`. */
function isAdded(at: usize): bool {
  return load<u32>(at) == quoteAdd && load<u32>(at, 3) == dedQuote;
}

/** Returns true if `"MODIFIED"` stands at `at`. */
function isModified(at: usize): bool {
  return load<u64>(at) == quoteModifie && load<u16>(at, 8) == dQuote;
}
