import { isPlainObject } from '../kubernetes/share-structure.js';

/**
 * Returns false in production. Elsewhere objects are deeply frozen when they enter the store, which about doubles the cost of reading a
 * list (H5 ▲), and slow subscribers are reported.
 *
 * `process.env.NODE_ENV` is written out so that bundlers can replace it; a browser without a bundler has no `process` and counts as development.
 */
export function isDevelopment(): boolean {
  try {
    return process.env.NODE_ENV !== 'production';
  } catch {
    return true;
  }
}

/** How many objects come in for each one that `freeze: 'sample'` freezes. */
const sampled = 64;

/** Returns how many objects come in for each one that is frozen; 0 for none. */
export function freezeInterval(freeze: boolean | 'sample'): number {
  return freeze === 'sample' ? sampled : Number(freeze);
}

/**
 * Freezes plain objects and arrays, and everything in them, at any depth; returns what it was given.
 *
 * It stops at what is frozen already, so shared subtrees are not walked again and cycles end, and at anything else (a `Date`, a `Map`,
 * an instance of a class): that is left as it is.
 */
export function freezeDeeply<T>(value: T): T {
  const tooDeep: unknown[] = [];
  freezeLevels(value, 0, tooDeep);
  for (let rest = tooDeep.pop(); rest !== undefined; rest = tooDeep.pop()) freezeLevels(rest, 0, tooDeep);
  return value;
}

/** How deep it recurses, which is a small part of the stack; what is deeper waits in a list. */
const levelsAtOnce = 64;

function freezeLevels(value: unknown, level: number, tooDeep: unknown[]): void {
  if (Object.isFrozen(value)) return;
  if (!Array.isArray(value) && !isPlainObject(value as object)) return;
  if (level === levelsAtOnce) {
    tooDeep.push(value);
    return;
  }
  Object.freeze(value);
  for (const inner of Object.values(value as object)) freezeLevels(inner, level + 1, tooDeep);
}
