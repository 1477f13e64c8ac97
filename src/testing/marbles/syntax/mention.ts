import type { Cursor } from './cursor.js';

/** One object's name in a diagram. */
export interface Mention {
  readonly name: string;
  /** How many `'` follow the name: the same name, created again so many times, each time with a new uid. */
  readonly incarnation: number;
  /** A `*` follows: the object has changed meanwhile, without the watch having seen it. */
  readonly hasChanged: boolean;
  /** Where the name begins, counted from 1. */
  readonly column: number;
}

interface Placed {
  readonly character: string;
  readonly column: number;
}

const marks = ["'", '*'];

/**
 * Reads names in parentheses.
 *
 * | written | means |
 * | --- | --- |
 * | `()` | none |
 * | `(ab)` `(a b)` | `a` and `b`: without a comma each letter is a name |
 * | `(web-1,db)` | `web-1` and `db`: with a comma each part is a name |
 * | `(web-1,)` | `web-1`: a comma may also stand at the end |
 */
export function parseMentions(cursor: Cursor): readonly Mention[] {
  const opened = cursor.column;
  if (!cursor.takeIf('(')) cursor.fail('( expected, with the names of objects');
  const content: Placed[] = [];
  for (; cursor.next !== ')'; cursor.take()) {
    if (cursor.atEnd) cursor.fail('this ( is never closed', opened);
    if ('()[]|#'.includes(cursor.next)) cursor.fail(`${cursor.next} cannot be part of a name`);
    content.push({ character: cursor.next, column: cursor.column });
  }
  cursor.take();
  return content.some(({ character }) => character === ',') ? separated(cursor, content) : letters(cursor, content);
}

/** A name of one letter, with its marks, that stands without parentheses. */
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

function mention(cursor: Cursor, spelled: readonly Placed[]): Mention {
  const text = spelled.map(({ character }) => character).join('');
  const [, name = '', suffix = ''] = /^(.*?)(['*]*)$/u.exec(text) ?? [];
  const column = spelled[0]?.column ?? cursor.column;
  if (name === '') cursor.fail(`a name is missing before ${suffix}`, column);
  return { name, incarnation: suffix.split("'").length - 1, hasChanged: suffix.includes('*'), column };
}
