import { RxInformersError } from '../../kubernetes/errors.js';

/** One frame of a diagram. */
export interface Marble<Token> {
  readonly frame: number;
  /** The first column of this frame, counted from 1. */
  readonly column: number;
  /** The emissions, in order. A frame without emissions has an `end`. */
  readonly tokens: readonly Token[];
  /** Completion (`|`) or error (`#`). No frame follows. */
  readonly end?: 'complete' | 'error';
}

/** Parses one token; calls `cursor.fail` if no token begins at the cursor. */
export type TokenParser<Token> = (cursor: Cursor) => Token;

/**
 * Parses the grammar that all diagrams share. `parseToken` parses the tokens.
 *
 * | written | means |
 * | --- | --- |
 * | `-` | a frame in which nothing happens |
 * | space | nothing at all, for aligning diagrams |
 * | ` 5ms ` ` 1.5s ` ` 2m ` | this amount of time; needs a space before and after |
 * | a token | an emission in the frame of its first character; the token takes as many frames as it has characters |
 * | `[…]` | several tokens in one frame |
 * | `\|` `#` | completion, error; also as the last thing in `[…]` |
 *
 * @throws `RXI_MARBLE_SYNTAX` with the column
 */
export function parseMarbles<Token>(diagram: string, parseToken: TokenParser<Token>): readonly Marble<Token>[] {
  const cursor = new Cursor(diagram);
  const marbles: Marble<Token>[] = [];
  for (;;) {
    cursor.skipTime();
    if (cursor.atEnd) return marbles;
    if (marbles.at(-1)?.end !== undefined) cursor.fail('nothing may follow the end of the stream');
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
    if (cursor.next === '-') cursor.fail('time cannot pass between [ and ]');
    if (cursor.next === '[') cursor.fail('groups in [ and ] cannot be nested');
    if (cursor.takeIf(']')) break;
    const end = takeEnd(cursor);
    if (end === undefined) {
      tokens.push(parseToken(cursor));
      continue;
    }
    cursor.skipSpaces();
    if (!cursor.takeIf(']')) cursor.fail('nothing may follow the end of the stream; expected ]');
    return { tokens, end };
  }
  if (tokens.length === 0) cursor.fail('there is nothing between [ and ]', opened);
  return { tokens };
}

function takeEnd(cursor: Cursor): 'complete' | 'error' | undefined {
  if (cursor.takeIf('|')) return 'complete';
  if (cursor.takeIf('#')) return 'error';
  return undefined;
}

/** The name of an object in a diagram. */
export interface Mention {
  readonly name: string;
  /** How many `'` follow the name: each means that it was created again, with a new uid. */
  readonly incarnation: number;
  /** True if a `*` follows: the object changed without an event in the watch. */
  readonly hasChanged: boolean;
  /** The first column of the name, counted from 1. */
  readonly column: number;
}

interface Placed {
  readonly character: string;
  readonly column: number;
}

const marks = ["'", '*'];

/**
 * Parses names in parentheses.
 *
 * | written | means |
 * | --- | --- |
 * | `()` | no names |
 * | `(ab)` `(a b)` | `a` and `b`: without a comma each letter is a name |
 * | `(web-1,db)` | `web-1` and `db`: with a comma each part is a name |
 * | `(web-1,)` | `web-1`: a comma may also stand at the end |
 */
export function parseMentions(cursor: Cursor): readonly Mention[] {
  const opened = cursor.column;
  if (!cursor.takeIf('(')) cursor.fail('expected ( and the names of objects');
  const content: Placed[] = [];
  for (; cursor.next !== ')'; cursor.take()) {
    if (cursor.atEnd) cursor.fail('this ( is never closed', opened);
    if ('()[]|#'.includes(cursor.next)) cursor.fail(`${cursor.next} cannot be part of a name`);
    content.push({ character: cursor.next, column: cursor.column });
  }
  cursor.take();
  return content.some(({ character }) => character === ',') ? separated(cursor, content) : letters(cursor, content);
}

/** Parses a name of one letter, with its marks, without parentheses. */
export function parseLetter(cursor: Cursor): Mention {
  const content: Placed[] = [];
  do {
    content.push({ character: cursor.next, column: cursor.column });
    cursor.take();
  } while (marks.includes(cursor.next));
  return mention(cursor, content);
}

function letters(cursor: Cursor, content: readonly Placed[]): readonly Mention[] {
  const names: Placed[][] = [];
  for (const placed of content.filter(({ character }) => character !== ' ')) {
    if (marks.includes(placed.character) && names.length > 0) names.at(-1)?.push(placed);
    else names.push([placed]);
  }
  return names.map((name) => mention(cursor, name));
}

function separated(cursor: Cursor, content: readonly Placed[]): readonly Mention[] {
  const parts: Placed[][] = [[]];
  for (const placed of content.filter(({ character }) => character !== ' ')) {
    if (placed.character !== ',') parts.at(-1)?.push(placed);
    else if (parts.at(-1)?.length === 0) cursor.fail('a name is missing before this comma', placed.column);
    else parts.push([]);
  }
  return parts.filter((part) => part.length > 0).map((part) => mention(cursor, part));
}

function mention(cursor: Cursor, placed: readonly Placed[]): Mention {
  const text = placed.map(({ character }) => character).join('');
  const [, name = '', suffix = ''] = /^(.*?)(['*]*)$/u.exec(text) ?? [];
  const column = placed[0]?.column ?? cursor.column;
  if (name === '') cursor.fail(`a name is missing before ${suffix}`, column);
  return { name, incarnation: suffix.split("'").length - 1, hasChanged: suffix.includes('*'), column };
}

const milliseconds = { ms: 1, s: 1000, m: 60_000 } as const;
const timeProgression = /^(\d+(?:\.\d+)?)(ms|s|m)(?= |$)/;

/** A position in a diagram, and its frame: a character is a frame, a space takes no time. */
export class Cursor {
  readonly #characters: readonly string[];
  #index = 0;
  #frame = 0;

  constructor(readonly diagram: string) {
    this.#characters = Array.from(diagram);
  }

  /** The current frame, in milliseconds of virtual time. */
  get frame(): number {
    return this.#frame;
  }

  /** The current column, counted from 1. */
  get column(): number {
    return this.#index + 1;
  }

  /** The character here; `''` at the end. */
  get next(): string {
    return this.#characters[this.#index] ?? '';
  }

  get atEnd(): boolean {
    return this.#index >= this.#characters.length;
  }

  take(): string {
    const { next } = this;
    this.#index++;
    if (next !== ' ') this.#frame++;
    return next;
  }

  takeIf(character: string): boolean {
    if (this.next !== character) return false;
    this.take();
    return true;
  }

  skipSpaces(): void {
    while (this.next === ' ') this.take();
  }

  /** Moves to the next token, past the frames in which nothing happens. */
  skipTime(): void {
    while (this.next === ' ' || this.next === '-' || this.#atTimeProgression()) {
      if (this.next === ' ' || this.next === '-') this.take();
      else this.#takeTimeProgression();
    }
  }

  fail(problem: string, column: number = this.column): never {
    throw marbleSyntaxError(this.diagram, column, problem);
  }

  get #rest(): string {
    return this.#characters.slice(this.#index).join('');
  }

  /**
   * Returns true if an amount of time begins here. As in rxjs, an amount of time must be at the
   * beginning or after a space. So in `-5s -`, `5` and `s` are values.
   */
  #atTimeProgression(): boolean {
    if (!/^\d$/.test(this.next)) return false;
    const before = this.#characters[this.#index - 1] ?? ' ';
    return before === ' ' && timeProgression.test(this.#rest);
  }

  #takeTimeProgression(): void {
    const [text = '', amount, unit] = timeProgression.exec(this.#rest) ?? [];
    this.#index += text.length;
    this.#frame += Number(amount) * milliseconds[unit as keyof typeof milliseconds];
  }
}

export function marbleSyntaxError(
  diagram: string,
  column: number,
  problem: string,
): RxInformersError<'RXI_MARBLE_SYNTAX'> {
  const message = `${problem} (column ${column})\n\n  ${diagram}\n  ${' '.repeat(column - 1)}^`;
  return new RxInformersError('RXI_MARBLE_SYNTAX', message, { diagram, column, problem });
}
