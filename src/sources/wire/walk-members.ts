import { endOfBrackets } from './end-of-brackets.js';
import { endOfString } from './end-of-string.js';
import { isWhitespace } from './whitespace.js';

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openCurly = 0x7b;
const closeCurly = 0x7d;
const curlyBit = 0x20;

/**
 * Is told where a member begins: the first byte of its key, the one behind its key, and the first of its value. Gives the index
 * behind the value, or -1 to end the walk.
 */
export type MemberVisitor = (keyStart: number, keyEnd: number, valueStart: number) => number;

/**
 * Visits the members of the object that begins at `from`, in their order, as long as the bytes look like JSON.
 *
 * It looks at nothing that `visit` does not skip, so what was visited may still turn out not to be JSON; only a parser can tell.
 */
export function walkMembers(bytes: Uint8Array, view: DataView, from: number, visit: MemberVisitor): void {
  if (bytes[from] !== openCurly) return;
  let at = skipWhitespace(bytes, from + 1);
  while (bytes[at] === quote) {
    const keyEnd = endOfString(bytes, view, at + 1) + 1;
    const separator = skipWhitespace(bytes, keyEnd);
    if (bytes[separator] !== colon) return;
    const valueStart = skipWhitespace(bytes, separator + 1);
    if (valueStart >= bytes.length) return;
    const valueEnd = visit(at, keyEnd, valueStart);
    if (valueEnd === -1) return;
    at = skipWhitespace(bytes, valueEnd);
    if (bytes[at] !== comma) return;
    at = skipWhitespace(bytes, at + 1);
  }
}

/** The index behind the value that begins at `from`; -1 where the bytes end first. */
export function endOfValue(bytes: Uint8Array, view: DataView, from: number): number {
  const first = bytes[from] as number;
  if ((first | curlyBit) === openCurly) return endOfBrackets(bytes, view, from);
  if (first === quote) {
    const end = endOfString(bytes, view, from + 1);
    return end < bytes.length ? end + 1 : -1;
  }
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === comma || (byte | curlyBit) === closeCurly || isWhitespace(byte)) return at;
  }
  return -1;
}

function skipWhitespace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isWhitespace(bytes[at])) at++;
  return at;
}
