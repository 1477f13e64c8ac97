import fc from 'fast-check';
import type { ScannedText } from '../../../src/sources/wire/scanner.js';
import type { ListSplitter } from '../../../src/sources/wire/split-list.js';

/**
 * Returns the text as UTF-8, in chunks of these sizes. After the last size, the sizes repeat. Each
 * chunk has its own memory, as if it came from a socket.
 */
export function inChunks(text: string, sizes: readonly number[]): readonly Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  const chunks: Uint8Array[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = Math.max(1, sizes[i % sizes.length] ?? bytes.length);
    chunks.push(bytes.slice(at, at + size));
    at += size;
  }
  return chunks;
}

export const chunkSizes = fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1, maxLength: 5 });

/**
 * Generates JSON values with many characters that could confuse a scanner: quotes, backslashes,
 * brackets, commas and the word items.
 */
export const trickyJson = fc.jsonValue({
  depthSize: 'medium',
  stringUnit: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', ' ', '\n', 'items', 'é', '𝄞') },
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});

export const indentation = fc.constantFrom('', ' ', '\t', '\n', '\r\n  ');

export function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/** Returns the results of `read` for each item that the chunk completes. */
export function itemsIn<Read>(splitter: ListSplitter, chunk: Uint8Array, read: (item: ScannedText) => Read): Read[] {
  const items: Read[] = [];
  splitter.push(chunk, (item) => items.push(read(item)));
  return items;
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
