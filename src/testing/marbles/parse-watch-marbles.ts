import type { SourceStatus } from '../../sources/model/watch-event.js';
import { type Cursor, parseMentions, type Mention } from './parse-marbles.js';

/** One event of a diagram of watch traffic. */
export type WatchToken =
  | ListToken
  | ChangeToken
  | BookmarkToken
  | StatusErrorToken
  | ConnectionErrorToken
  | StatusToken;

interface ListToken {
  readonly type: 'LISTED';
  readonly mentions: readonly Mention[];
}

/** A token for at least one object. It has one event for each of its objects. */
interface ChangeToken {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly mentions: readonly Mention[];
}

interface BookmarkToken {
  readonly type: 'BOOKMARK';
}

interface StatusErrorToken {
  readonly type: 'STATUS_ERROR';
  /** The HTTP status. */
  readonly code: number;
}

interface ConnectionErrorToken {
  readonly type: 'CONNECTION_ERROR';
}

interface StatusToken {
  readonly type: 'STATUS';
  readonly state: SourceStatus['state'];
}

const changeTypes: Readonly<Record<string, ChangeToken['type']>> = {
  A: 'ADDED',
  M: 'MODIFIED',
  D: 'DELETED',
};

export function parseWatchToken(cursor: Cursor): WatchToken {
  const { next } = cursor;
  const type = Object.hasOwn(changeTypes, next) ? changeTypes[next] : undefined;
  if (type !== undefined) return parseChange(cursor, type);
  if (cursor.takeIf('L')) return { type: 'LISTED', mentions: parseMentions(cursor) };
  if (cursor.takeIf('B')) return { type: 'BOOKMARK' };
  if (cursor.takeIf('X')) return { type: 'CONNECTION_ERROR' };
  if (next === 'S') return parseStatus(cursor);
  if (/^\d$/.test(next)) return parseCode(cursor);
  if (next === '(') cursor.fail('write several events of one batch as [A(a)M(b)]');
  return cursor.fail(
    `${next} is not an event; expected L(…), A(…), M(…), D(…), B, S(…), X or an HTTP status such as 410`,
  );
}

function parseChange(cursor: Cursor, type: ChangeToken['type']): ChangeToken {
  const letter = cursor.take();
  const opened = cursor.column;
  const mentions = parseMentions(cursor);
  if (mentions.length === 0) cursor.fail(`${letter} needs at least one object`, opened);
  const marked = mentions.find(({ hasChanged }) => hasChanged);
  if (marked) cursor.fail(`* is only for L(…): an object in ${letter}(…) is always a new version`, marked.column);
  return { type, mentions };
}

function parseStatus(cursor: Cursor): WatchToken {
  cursor.take();
  const [mention, ...others] = parseMentions(cursor);
  const state = mention && stateOfLetter(mention.name);
  if (state === undefined || others.length > 0) {
    return cursor.fail(`a status is one of ${statusLegend}`, mention?.column ?? cursor.column - 1);
  }
  return { type: 'STATUS', state };
}

function parseCode(cursor: Cursor): WatchToken {
  const { column } = cursor;
  let digits = '';
  while (/^\d$/.test(cursor.next)) digits += cursor.take();
  if (/^[ms.]$/.test(cursor.next)) cursor.fail('write a space before and after a time', column);
  if (!/^[45]\d\d$/.test(digits)) cursor.fail(`${digits} is not an HTTP status from 400 to 599`, column);
  return { type: 'STATUS_ERROR', code: Number(digits) };
}

/** The letter of each state of a source. */
export const statusLetters = {
  listing: 'l',
  watching: 'w',
  reconnecting: 'r',
  'backing-off': 'b',
  forbidden: 'f',
  'not-found': 'n',
  stopped: 's',
} as const satisfies Readonly<Record<SourceStatus['state'], string>>;

/** The meaning of the letters, for error messages. */
export const statusLegend = Object.entries(statusLetters)
  .map(([state, letter]) => `${letter} ${state}`)
  .join(', ');

export function stateOfLetter(letter: string): SourceStatus['state'] | undefined {
  const [state] = Object.entries(statusLetters).find(([, known]) => known === letter) ?? [];
  return state as SourceStatus['state'] | undefined;
}
