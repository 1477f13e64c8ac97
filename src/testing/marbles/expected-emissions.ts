import type { AnyKubernetesObject } from '../../kubernetes/object.js';
import type { SourceStatus } from '../../sources/model/watch-event.js';
import { checkMention, marbleName, spellNames, type MarbleObjects } from './marble-objects.js';
import { type Cursor, parseLetter, parseMentions, type Mention, parseMarbles } from './parse-marbles.js';
import { stateOfLetter, statusLegend, statusLetters } from './parse-watch-marbles.js';
import { momentsOf, type TimelineMoment } from './timeline.js';

/** An emission of a stream of objects: one object, several, or none. */
export type ObjectsEmitted<T> = T | readonly T[] | undefined;

/** Parses objects: `a` is one, `(ab)` an array of two, `()` an empty array or `undefined`. */
export function expectedObjects(diagram: string, objects: object): readonly TimelineMoment[] {
  const marbles = parseMarbles(diagram, (cursor) => parseEmission(cursor, objects));
  return momentsOf(marbles, (mentions) => spellNames(mentions.map(spell)));
}

/** Returns the label of an emission, from the names of its objects. */
export function labelOfObjects<T extends AnyKubernetesObject>(
  objects: MarbleObjects<T>,
  emitted: ObjectsEmitted<T>,
): string {
  if (emitted === undefined) return '()';
  return spellNames((isArray(emitted) ? emitted : [emitted]).map((object) => marbleName(objects, object)));
}

function parseEmission(cursor: Cursor, objects: object): readonly Mention[] {
  if (cursor.next === ')') cursor.fail('this ) was never opened');
  const mentions = cursor.next === '(' ? parseMentions(cursor) : [parseLetter(cursor)];
  for (const mention of mentions) {
    if (mention.hasChanged)
      cursor.fail('* is only for L(…) in watch traffic: versions are not compared', mention.column);
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

/** Parses the diagram of a `status$`: one letter for each state. */
export function expectedStatuses(diagram: string): readonly TimelineMoment[] {
  return momentsOf(parseMarbles(diagram, parseState), labelOfStatus);
}

/** Returns the letter of a state. */
export function labelOfStatus({ state }: Pick<SourceStatus, 'state'>): string {
  return statusLetters[state];
}

function parseState(cursor: Cursor): Pick<SourceStatus, 'state'> {
  const state = stateOfLetter(cursor.next);
  if (state === undefined) return cursor.fail(`${cursor.next} is not a status: ${statusLegend}`);
  cursor.take();
  return { state };
}
