import { wireError } from './wire-error.js';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * The JSON value that `bytes` spell.
 *
 * Throws a `WireError` for what is not UTF-8 (rather than replace characters in somebody's object) or not JSON.
 */
export function decodeJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    throw wireError('not valid UTF-8', bytes, bytes.length, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw wireError('not valid JSON', bytes, bytes.length, { cause });
  }
}
