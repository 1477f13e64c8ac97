import fc from 'fast-check';

/** The text as UTF-8 in pieces of these sizes, over and over; each piece has its own memory, as from a socket. */
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

/** JSON values full of what could confuse a scanner: quotes, backslashes, brackets, commas and the word items. */
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
