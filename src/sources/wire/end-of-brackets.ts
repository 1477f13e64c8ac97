import { endOfString } from './end-of-string.js';

const quote = 0x22;
/** `{` and `[`, `}` and `]` differ from each other in this bit alone. */
const curlyBit = 0x20;
const open = 0x7b;
const close = 0x7d;

/** The index behind the bracket that closes the one at `from`, whatever kinds they are; -1 where the bytes end first. */
export function endOfBrackets(bytes: Uint8Array, view: DataView, from: number): number {
  const end = bytes.length;
  let level = 0;
  let at = from;
  while (at < end) {
    const byte = bytes[at++] as number;
    if (byte === quote) {
      at = endOfString(bytes, view, at) + 1;
      continue;
    }
    const bracket = byte | curlyBit;
    if (bracket === open) {
      level++;
    } else if (bracket === close && --level === 0) {
      return at;
    }
  }
  return -1;
}
