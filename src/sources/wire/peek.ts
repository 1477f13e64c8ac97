import { quote } from './bytes.js';
import { endOfString, endOfValue, equalsEscaped, quoted, walkMembers } from './json-bytes.js';

/**
 * The number of bytes that are searched. API servers write the name within the first few hundred
 * bytes. For custom resources, the name follows the annotations.
 */
const peekedLength = 4_096;

/** The data of a change that the beginning of its line contains. */
export interface PeekedChange {
  readonly type: 'upsert' | 'deletion';
  /** Two lines have the same identity if their namespace, name and uid are equal. */
  readonly identity: string;
}

const type = /*#__PURE__*/ quoted('type');
const added = /*#__PURE__*/ quoted('ADDED');
const modified = /*#__PURE__*/ quoted('MODIFIED');
const deleted = /*#__PURE__*/ quoted('DELETED');
const object = /*#__PURE__*/ quoted('object');
const metadata = /*#__PURE__*/ quoted('metadata');
const namespace = /*#__PURE__*/ quoted('namespace');
const name = /*#__PURE__*/ quoted('name');
const uid = /*#__PURE__*/ quoted('uid');

/**
 * Returns the changed object, and the type, of a line; `undefined` for any other line, or if its
 * beginning lacks these data. The line is not parsed, so it may be invalid JSON.
 *
 * **Does not guarantee**: that a namespace after the uid is found. API servers write it before the
 * uid, and no two objects have the same uid.
 */
export function peekChange(line: Uint8Array): PeekedChange | undefined {
  const { bytes, view } = beginningOf(line);
  let change: PeekedChange['type'] | undefined;
  let identity: string | undefined;
  walkMembers(bytes, view, 0, (keyStart, valueStart) => {
    if (equalsEscaped(bytes, keyStart, type)) {
      change = changeAt(bytes, valueStart);
      if (change === undefined) return -1;
    } else if (equalsEscaped(bytes, keyStart, object)) {
      identity = identityAt(bytes, view, valueStart);
      if (identity === undefined) return -1;
    }
    return change !== undefined && identity !== undefined ? -1 : endOfValue(bytes, view, valueStart);
  });
  return change === undefined || identity === undefined ? undefined : { type: change, identity };
}

/**
 * Returns the lines without each ADDED or MODIFIED that a later one of the same object supersedes.
 *
 * A DELETED is kept and supersedes nothing, because it may be of an earlier incarnation. Nothing
 * supersedes across a line that is no change or unreadable, such as the bookmark of a streaming
 * list. The order is kept, nothing is parsed; the same array is returned if nothing is dropped.
 */
export function withoutSuperseded(lines: readonly Uint8Array[]): readonly Uint8Array[] {
  if (lines.length < 2) return lines;
  const settled = new Set<string>();
  const isLatest = (line: Uint8Array): boolean => {
    const change = peekChange(line);
    if (change === undefined) settled.clear();
    if (change?.type !== 'upsert') return true;
    if (settled.has(change.identity)) return false;
    settled.add(change.identity);
    return true;
  };
  const latest = lines.toReversed().filter(isLatest).reverse();
  return latest.length === lines.length ? lines : latest;
}

function changeAt(bytes: Uint8Array, at: number): PeekedChange['type'] | undefined {
  if (equalsEscaped(bytes, at, modified) || equalsEscaped(bytes, at, added)) return 'upsert';
  return equalsEscaped(bytes, at, deleted) ? 'deletion' : undefined;
}

function identityAt(bytes: Uint8Array, view: DataView, from: number): string | undefined {
  let identity: string | undefined;
  walkMembers(bytes, view, from, (keyStart, valueStart) => {
    if (!equalsEscaped(bytes, keyStart, metadata)) return endOfValue(bytes, view, valueStart);
    identity = identityIn(bytes, view, valueStart);
    return -1;
  });
  return identity;
}

function identityIn(bytes: Uint8Array, view: DataView, from: number): string | undefined {
  const seen = {
    namespace: '' as string | undefined,
    name: undefined as string | undefined,
    uid: undefined as string | undefined,
  };
  walkMembers(bytes, view, from, (keyStart, valueStart) => {
    if (equalsEscaped(bytes, keyStart, namespace)) seen.namespace = textAt(bytes, view, valueStart) || undefined;
    else if (equalsEscaped(bytes, keyStart, name)) seen.name = textAt(bytes, view, valueStart) || undefined;
    else if (equalsEscaped(bytes, keyStart, uid)) seen.uid = textAt(bytes, view, valueStart) || undefined;
    return seen.name !== undefined && seen.uid !== undefined ? -1 : endOfValue(bytes, view, valueStart);
  });
  if (seen.namespace === undefined || seen.name === undefined || seen.uid === undefined) return undefined;
  // None of the three values contains a quote, so a quote separates them.
  return `${seen.namespace}"${seen.name}"${seen.uid}`;
}

function beginningOf(json: Uint8Array): { readonly bytes: Uint8Array; readonly view: DataView } {
  const bytes = json.length > peekedLength ? json.subarray(0, peekedLength) : json;
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
}

/** Maps each byte to its own character, so two texts are equal if their bytes are equal. */
const byteForByte = /*#__PURE__*/ new TextDecoder('latin1');

/** Returns the string that begins at `from`; `undefined` for other values, or escapes. */
function textAt(bytes: Uint8Array, view: DataView, from: number): string | undefined {
  if (bytes[from] !== quote) return undefined;
  const end = endOfString(bytes, view, from + 1);
  if (end >= bytes.length) return undefined;
  const text = byteForByte.decode(bytes.subarray(from + 1, end));
  return text.includes('\\') ? undefined : text;
}
