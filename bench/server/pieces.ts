/** Many texts as one block of bytes, so that consecutive texts are sent without a copy. */
export interface Pieces {
  readonly bytes: Buffer;
  /** The start of each piece, and the end of the last one. */
  readonly offsets: readonly number[];
}

export function joinPieces(texts: readonly string[]): Pieces {
  const buffers = texts.map((text) => Buffer.from(text));
  const offsets = [0];
  let end = 0;
  for (const buffer of buffers) offsets.push((end += buffer.length));
  return { bytes: Buffer.concat(buffers, end), offsets };
}

/**
 * Returns the bytes of the pieces from `start` up to but not including `end`. The bytes are shared,
 * not copied.
 */
export function piecesBetween({ bytes, offsets }: Pieces, start: number, end: number): Buffer {
  return bytes.subarray(offsets[start], offsets[end]);
}
