import type { KubernetesObject } from '../../../kubernetes/object.js';
import { checkMention } from '../check-mention.js';
import { nameOf, spellNames, type MarbleObjects } from '../marble-objects.js';
import type { Cursor } from '../syntax/cursor.js';
import { parseLetter, parseMentions, type Mention } from '../syntax/mention.js';
import { parseMarbles } from '../syntax/parse-marbles.js';
import { momentsOf, type Moment } from './moment.js';

/** What a stream of objects emits: one, several, or none. */
export type ObjectsEmitted<T> = T | readonly T[] | undefined;

/** Reads what is expected of a stream of objects: `a` one object, `(ab)` an array of two, `()` an empty one or `undefined`. */
export function expectedObjects(diagram: string, objects: object): readonly Moment[] {
  const marbles = parseMarbles(diagram, (cursor) => parseEmission(cursor, objects));
  return momentsOf(marbles, (mentions) => spellNames(mentions.map(spell)));
}

/** What a stream emitted, by the names of its objects. */
export function labelOfObjects<T extends KubernetesObject>(
  objects: MarbleObjects<T>,
  emitted: ObjectsEmitted<T>,
): string {
  if (emitted === undefined) return '()';
  return spellNames((isArray(emitted) ? emitted : [emitted]).map((object) => nameOf(objects, object)));
}

function parseEmission(cursor: Cursor, objects: object): readonly Mention[] {
  if (cursor.next === ')') cursor.fail('this ) was never opened');
  const mentions = cursor.next === '(' ? parseMentions(cursor) : [parseLetter(cursor)];
  for (const mention of mentions) {
    if (mention.hasChanged) cursor.fail('* is for L(…) in watch traffic: versions are not compared', mention.column);
    checkMention(cursor.diagram, objects, mention);
  }
  return mentions;
}

function spell({ name, incarnation }: Mention): string {
  return `${name}${"'".repeat(incarnation)}`;
}

function isArray<T>(emitted: T | readonly T[]): emitted is readonly T[] {
  return Array.isArray(emitted);
}
