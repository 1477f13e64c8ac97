/**
 * Returns JSON of any depth, without methods and cycles. `JSON.stringify` fails for some thousand
 * levels, which an API server accepts and `JSON.parse` reads.
 */
export function jsonText(value: object): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return deepJsonText(value);
  }
}

/** A piece of text, or a value that is not written yet. */
type Piece = string | { readonly value: unknown };

function deepJsonText(root: object): string {
  const written: string[] = [];
  // The last piece comes next.
  const pieces: Piece[] = [{ value: root }];
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
    if (typeof piece === 'string') written.push(piece);
    else if (typeof piece.value !== 'object' || piece.value === null) written.push(JSON.stringify(piece.value));
    else for (const inner of piecesOf(piece.value).reverse()) pieces.push(inner);
  }
  return written.join('');
}

function piecesOf(value: object): Piece[] {
  if (Array.isArray(value)) {
    const items = value.flatMap((item: unknown, position) => [position === 0 ? '' : ',', { value: item }]);
    return ['[', ...items, ']'];
  }
  const fields = Object.entries<unknown>({ ...value })
    .filter(([, field]) => field !== undefined)
    .flatMap(([name, field], position) => [`${position === 0 ? '' : ','}${JSON.stringify(name)}:`, { value: field }]);
  return ['{', ...fields, '}'];
}
