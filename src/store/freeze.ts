import { isPlainObject } from '../kubernetes/share-structure.js';

/**
 * Freezes plain objects and arrays at any depth, and returns its argument. It stops at frozen
 * values, so shared subtrees are walked once and cycles end. Others (a `Date`, an instance) stay
 * unchanged.
 */
export function freezeDeeply<T>(value: T): T {
  const tooDeep: unknown[] = [];
  freezeLevels(value, 0, tooDeep);
  for (let rest = tooDeep.pop(); rest !== undefined; rest = tooDeep.pop()) freezeLevels(rest, 0, tooDeep);
  return value;
}

/** Limits the recursion to a small part of the stack. Deeper values are listed and frozen later. */
const levelsAtOnce = 64;

function freezeLevels(value: unknown, level: number, tooDeep: unknown[]): void {
  if (Object.isFrozen(value)) return;
  if (!Array.isArray(value) && !isPlainObject(value)) return;
  if (level === levelsAtOnce) {
    tooDeep.push(value);
    return;
  }
  Object.freeze(value);
  for (const inner of Object.values(value as object)) freezeLevels(inner, level + 1, tooDeep);
}
