import { decodeJson } from './bytes.js';
import type { ScannedText, TextScanner } from './scanner.js';

/**
 * Creates the scanner that every JavaScript engine can run. It finds no parts: each text counts as
 * irregular, so it is parsed whole, with its managed fields.
 *
 * Reading the parts of a text in JavaScript, and then parsing the rest, would be a second
 * implementation of the scanner in WebAssembly, to save a part of the time of parsing.
 */
export function createParsingScanner(): TextScanner {
  let bytes: Uint8Array = new Uint8Array(0);
  const text: ScannedText = {
    get bytes() {
      return bytes;
    },
    isUpsert: false,
    field: () => undefined,
    spells: () => false,
    digest: () => undefined,
    hasDigest: () => false,
    hasSpecDigest: () => false,
    parse: () => decodeJson(bytes),
    parseWithoutSpec() {
      throw new Error('parseWithoutSpec() is for texts whose spec has a digest');
    },
  };
  return {
    text,
    scan(_kind, newBytes) {
      bytes = newBytes;
      return text;
    },
    open: () => undefined,
    scanItem: () => -1,
  };
}
