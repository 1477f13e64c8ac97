import { MarbleSyntaxError } from './syntax/marble-syntax-error.js';
import type { Mention } from './syntax/mention.js';

/** A name that no object has is an error of the diagram. */
export function checkMention(diagram: string, objects: object, { name, column }: Mention): void {
  if (Object.hasOwn(objects, name)) return;
  const known = Object.keys(objects);
  const hint = known.find((other) => other.length > 1 && diagram.slice(column - 1).startsWith(`${other})`));
  const advice =
    hint === undefined ? `known are ${known.join(', ') || 'none'}` : `a long name alone is written (${hint},)`;
  throw new MarbleSyntaxError(diagram, column, `there is no object ${name}; ${advice}`);
}
