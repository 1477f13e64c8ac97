import { decodeJson } from './bytes.js';
import type { ScannedText, TextScanner } from './scanner.js';

/**
 * Creates the scanner that every engine can run: each text is irregular, so it is parsed whole,
 * with managed fields. A second scanner in JavaScript would save only a part of that time.
 */
export function createParsingScanner(): TextScanner {
  let bytes: Uint8Array = noBytes;
  const text: ScannedText = {
    ...irregular,
    get bytes() {
      return bytes;
    },
    parse: () => decodeJson(bytes),
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

/** Returns the text of a value that was parsed as a part of a larger text. */
export function parsedText(value: unknown): ScannedText {
  return { ...irregular, bytes: noBytes, parse: () => value };
}

const noBytes = /*#__PURE__*/ new Uint8Array(0);

const irregular = {
  isUpsert: false,
  field: () => undefined,
  hasFieldValue: () => false,
  digest: () => undefined,
  hasDigest: () => false,
  hasSpecDigest: () => false,
  hasMetadataDigest: () => false,
  parseWithoutSpec() {
    throw new Error('parseWithoutSpec() is for texts whose spec has a digest');
  },
};
