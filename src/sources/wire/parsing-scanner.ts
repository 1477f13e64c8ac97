import { decodeJson } from './bytes.js';
import type { ScannedText, TextScanner } from './scanner.js';

/**
 * Creates the scanner that every engine can run: each text is irregular, so it is parsed whole,
 * with managed fields. A second scanner in JavaScript would save only a part of that time.
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
