/** Many texts as one block of bytes, so that any run of neighbours is sent without copying anything. */
export interface Pieces {
  readonly bytes: Buffer;
  /** Where each piece begins, and after the last one, where it ends. */
  readonly offsets: readonly number[];
}

export function joinPieces(texts: readonly string[]): Pieces {
  const buffers = texts.map((text) => Buffer.from(text));
  const offsets = [0];
  let end = 0;
  for (const buffer of buffers) offsets.push((end += buffer.length));
  return { bytes: Buffer.concat(buffers, end), offsets };
}

/** The bytes of the pieces from `start` up to and without `end`, which are shared and not copied. */
export function piecesBetween({ bytes, offsets }: Pieces, start: number, end: number): Buffer {
  return bytes.subarray(offsets[start], offsets[end]);
}
