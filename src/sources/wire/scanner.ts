/** A member of `metadata` that a scanner finds without parsing. */
export type MetadataField = 'name' | 'namespace' | 'uid' | 'resourceVersion';

/**
 * The hashes of an object's text, as UTF-16 units: 8 of the object, 4 of its `metadata` without the
 * `resourceVersion`, and 8 of its `spec`. The first is missing in the digest of a watch event, the
 * others in that of an object without a `spec`. A random key for each process; no hash of one part
 * is that of another.
 */
export type Digest = string;

/**
 * One line of a watch or one item of a list, after scanning. It is valid until the next text is
 * scanned.
 *
 * The scanner reads the keys of three levels: the line, its object, and `metadata`. A text is
 * irregular if a letter of such a key is escaped, if a key that the scanner looks for occurs twice,
 * or if anything follows the last member. An irregular text is no upsert and has no fields and no
 * digest, so it is parsed. Without WebAssembly, every text counts as irregular.
 */
export interface ScannedText {
  /** The text as it was received. */
  readonly bytes: Uint8Array;
  /** True for a regular item, and for a regular line of type ADDED or MODIFIED. */
  readonly isUpsert: boolean;
  /** Returns a member of `metadata` that is a short string of plain ASCII without escapes. */
  field(name: MetadataField): string | undefined;
  /** Returns true if `field(name)` is `value`, without making a string. */
  hasFieldValue(name: MetadataField, value: string): boolean;
  /**
   * Returns the digest of the bytes of `metadata` and `spec`, and, if `isWhole` is true, of those
   * of the object. The bytes of `managedFields`, and of a `kind` and `apiVersion` at the beginning
   * of the object, do not count. Returns `undefined` if there is nothing to digest, or if this
   * scanner computes no digests.
   */
  digest(isWhole: boolean): Digest | undefined;
  /** Returns true if `digest` is that of the object, without making a string. */
  hasDigest(digest: Digest): boolean;
  /** Returns true if the object has a `spec` with the bytes of the `spec` in `digest`. */
  hasSpecDigest(digest: Digest): boolean;
  /**
   * Returns true if only the `resourceVersion` and `managedFields` of `metadata` can differ from
   * those in `digest`. Always false unless `managedFields` are omitted.
   */
  hasMetadataDigest(digest: Digest): boolean;
  /**
   * Returns the JSON value, without `managedFields` if they are omitted and found.
   *
   * @throws `RXI_WIRE` for text that is not UTF-8 or not JSON
   */
  parse(): unknown;
  /**
   * Returns the same value as `parse`, but with the number 0 in place of `spec`, and of `metadata`
   * if `omitsMetadata`, so that the order of members is kept. Call it only after `hasSpecDigest`
   * returned true, and with `true` only after `hasMetadataDigest` did.
   *
   * @throws `RXI_WIRE` for text that is not UTF-8 or not JSON
   */
  parseWithoutSpec(omitsMetadata: boolean): unknown;
}

export interface ScannerOptions {
  /**
   * If true, `metadata.managedFields` are cut out of the text and not parsed. They are not cut out
   * if the text is parsed whole, if `metadata` is irregular, or if they are neither an object nor
   * an array, so the caller drops them then. Malformed JSON inside their brackets is not detected.
   */
  readonly omitManagedFields: boolean;
}

/** A line of a watch, or an item of a list. */
export type TextKind = 'line' | 'item';

/** Finds the parts of texts, one after the other. */
export interface TextScanner {
  /** The text that was scanned last. The object is reused for later texts. */
  readonly text: ScannedText;
  /** Scans a complete line of a watch, or a complete item. Returns `text`. */
  scan(kind: TextKind, bytes: Uint8Array): ScannedText;
  /** Sets the chunk for `scanItem`. Its bytes must not change until all items are scanned. */
  open(chunk: Uint8Array): void;
  /**
   * Scans the item that begins at an index of the chunk, and returns the index after it.
   *
   * Returns -1, and does not set `text`, if the chunk ends before the item, if the item does not
   * look like a JSON object, if the item is very long, or if this scanner finds no items.
   */
  scanItem(from: number): number;
}
