import { Cursor } from './cursor.js';

/** Everything that a diagram says about one frame. */
export interface Marble<Token> {
  readonly frame: number;
  /** Where it begins, counted from 1. */
  readonly column: number;
  /** What is emitted, in order; only before an `end` it may be nothing. */
  readonly tokens: readonly Token[];
  /** `|` and `#`; nothing follows. */
  readonly end?: 'complete' | 'error';
}

/** Reads one token; fails where there is none. */
export type TokenParser<Token> = (cursor: Cursor) => Token;

/**
 * Reads what all diagrams have in common, and leaves the tokens to `parseToken`.
 *
 * | written | means |
 * | --- | --- |
 * | `-` | a frame in which nothing happens |
 * | space | nothing at all, for aligning diagrams |
 * | ` 5ms ` ` 1.5s ` ` 2m ` | that much time, with a space before and after |
 * | a token | happens in the frame of its first character, and takes as many frames as it has characters |
 * | `[…]` | several tokens in one frame |
 * | `\|` `#` | completion, error; also as the last thing in `[…]` |
 *
 * **Errors**: `MarbleSyntaxError`, with the column.
 */
export function parseMarbles<Token>(diagram: string, parseToken: TokenParser<Token>): readonly Marble<Token>[] {
  const cursor = new Cursor(diagram);
  const marbles: Marble<Token>[] = [];
  for (;;) {
    cursor.skipTime();
    if (cursor.atEnd) return marbles;
    if (marbles.at(-1)?.end !== undefined) cursor.fail('nothing follows the end of the stream');
    marbles.push(parseMarble(cursor, parseToken));
  }
}

function parseMarble<Token>(cursor: Cursor, parseToken: TokenParser<Token>): Marble<Token> {
  const { frame, column } = cursor;
  if (cursor.takeIf('[')) return { frame, column, ...parseGroup(cursor, parseToken, column) };
  const end = takeEnd(cursor);
  return end === undefined ? { frame, column, tokens: [parseToken(cursor)] } : { frame, column, tokens: [], end };
}

function parseGroup<Token>(
  cursor: Cursor,
  parseToken: TokenParser<Token>,
  opened: number,
): Pick<Marble<Token>, 'tokens' | 'end'> {
  const tokens: Token[] = [];
  for (;;) {
    cursor.skipSpaces();
    if (cursor.atEnd) cursor.fail('this [ is never closed', opened);
    if (cursor.next === '-') cursor.fail('no time passes inside [ and ]');
    if (cursor.next === '[') cursor.fail('a [ inside a [ says nothing more');
    if (cursor.takeIf(']')) break;
    const end = takeEnd(cursor);
    if (end === undefined) {
      tokens.push(parseToken(cursor));
      continue;
    }
    cursor.skipSpaces();
    if (!cursor.takeIf(']')) cursor.fail('nothing follows the end of the stream; ] expected');
    return { tokens, end };
  }
  if (tokens.length === 0) cursor.fail('nothing stands between [ and ]', opened);
  return { tokens };
}

function takeEnd(cursor: Cursor): 'complete' | 'error' | undefined {
  if (cursor.takeIf('|')) return 'complete';
  if (cursor.takeIf('#')) return 'error';
  return undefined;
}
