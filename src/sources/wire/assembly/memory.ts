/*
 * The memory of the scanner. It never grows, and nothing is allocated in it: each part has a fixed
 * place.
 *
 * | from | what | who writes it |
 * | ---: | --- | --- |
 * | 16 | the key of digests | JavaScript, once |
 * | 32 | the last digests: of the object, of its `metadata` (half of it), and of its `spec` | `digest` |
 * | 72 | the whole digest of `metadata` | `digest` |
 * | 88 | the parts found in the text | `scan` |
 * | 1,024 | the text, and 64 bytes of padding | JavaScript, and `scan` |
 * | `output` | the text without the omitted parts | `assemble` |
 */

/** The longest text in bytes. */
export const capacity: i32 = 1 << 20;
/** The padding after every text, so that 64 bytes can be read at once wherever the text ends. */
export const padding: i32 = 64;

export const key: usize = 16;
export const digestAt: usize = 32;
export const metadataDigest: usize = 72;
export const found: usize = 88;
export const input: usize = 1024;
export const output: usize = 1024 + (1 << 20) + 64;

/**
 * The slots of `found`. Each part has two 32-bit addresses: its first byte, and the byte after its
 * last. Both are 0 if the part was not found.
 */
export const name: i32 = 0;
export const namespace: i32 = 2;
export const uid: i32 = 4;
export const resourceVersion: i32 = 6;
export const omitted: i32 = 8;
export const spec: i32 = 10;
/** The slot that is 1 for a line of type ADDED or MODIFIED. */
export const isUpsert: i32 = 12;
/**
 * The slot that is 1 if a letter of a key is escaped, if a key occurs twice, if the walk over the
 * text ended early, or if something follows a text that was scanned alone and not within a chunk.
 */
export const isIrregular: i32 = 13;
/** The object from its first member that is neither `kind` nor `apiVersion`. */
export const body: i32 = 14;
/** The slots that are 1 if a key has occurred. Each of these keys may occur only once. */
export const seenType: i32 = 16;
export const seenObject: i32 = 17;
export const seenMetadata: i32 = 18;
export const seenManagedFields: i32 = 19;
export const metadata: i32 = 20;
/** A part that is never found. */
export const nothing: i32 = 22;
export const slots: i32 = 24;

@inline
export function get(slot: i32): usize {
  return load<u32>(found + (usize(slot) << 2));
}

@inline
export function set(slot: i32, value: usize): void {
  store<u32>(found + (usize(slot) << 2), u32(value));
}
