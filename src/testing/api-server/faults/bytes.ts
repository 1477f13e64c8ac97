import type { Piece } from '../exchange.js';

const encoder = new TextEncoder();

export function bytesOf(piece: Piece): Uint8Array {
  return typeof piece === 'string' ? encoder.encode(piece) : piece;
}

export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}
