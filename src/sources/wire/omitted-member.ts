import { endOfBrackets } from './end-of-brackets.js';
import { isWhitespace } from './whitespace.js';

/** A member of a member of an object, by their names: `['metadata', 'managedFields']`. */
export type MemberPath = readonly [outer: string, inner: string];

/** A part of a text, from the index of its first byte to the one behind its last. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openCurly = 0x7b;
const closeCurly = 0x7d;
const openSquare = 0x5b;
/** From the bracket that opens to the one that closes, for both kinds. */
const toClosing = 2;

/** Whether the string that begins at `at` is this one; `quoted` are its bytes with both quotes. */
export function spells(bytes: Uint8Array, at: number, quoted: Uint8Array): boolean {
  for (let index = 0; index < quoted.length; index++) {
    if (bytes[at + index] !== quoted[index]) return false;
  }
  return true;
}

/** Whether a string that ends just before `from` is the key of an object. */
export function isKeyOfObject(bytes: Uint8Array, from: number): boolean {
  return bytes[startOfValue(bytes, from)] === openCurly;
}

/**
 * What to leave out of a text so that it lacks the member whose key lies between `keyStart` and `keyEnd`: the member and
 * one comma.
 *
 * `undefined` where the bytes end before the member does, where its value is neither object nor array, and where what stands
 * around it is not as JSON wants it: a text that is not valid must not become valid by what it lacks.
 */
export function spanOfMember(bytes: Uint8Array, view: DataView, keyStart: number, keyEnd: number): Span | undefined {
  const valueStart = startOfValue(bytes, keyEnd);
  const opening = bytes[valueStart];
  if (opening !== openCurly && opening !== openSquare) return undefined;
  const valueEnd = endOfBrackets(bytes, view, valueStart);
  if (valueEnd === -1 || bytes[valueEnd - 1] !== opening + toClosing) return undefined;

  const next = skipWhitespace(bytes, valueEnd);
  const isLast = bytes[next] === closeCurly;
  if (!isLast && bytes[next] !== comma) return undefined;

  const previous = skipWhitespaceBackwards(bytes, keyStart - 1);
  if (bytes[previous] === comma) {
    const isFirst = bytes[skipWhitespaceBackwards(bytes, previous - 1)] === openCurly;
    return isFirst ? undefined : { from: previous, to: valueEnd };
  }
  if (bytes[previous] !== openCurly) return undefined;
  if (isLast) return { from: keyStart, to: valueEnd };
  const following = skipWhitespace(bytes, next + 1);
  return bytes[following] === quote ? { from: keyStart, to: following } : undefined;
}

/** Where the value of a key begins that ends just before `from`; `bytes.length` where no colon follows. */
function startOfValue(bytes: Uint8Array, from: number): number {
  const at = skipWhitespace(bytes, from);
  return bytes[at] === colon ? skipWhitespace(bytes, at + 1) : bytes.length;
}

function skipWhitespace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isWhitespace(bytes[at])) at++;
  return at;
}

function skipWhitespaceBackwards(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isWhitespace(bytes[at])) at--;
  return at;
}
