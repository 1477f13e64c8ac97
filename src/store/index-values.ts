import type { IndexFunction } from './index-function.js';

/** What an index function gave, checked, each value once; a single value stands alone, because that is nearly every case. */
export type IndexValues = string | readonly string[];

export const NO_VALUES: IndexValues = Object.freeze([]);

/** What an object stands under while its index function fails: nothing, and it is remembered that it failed. */
export const FAILED_VALUES: IndexValues = Object.freeze([]);

/** True where an index function failed for the object: the next time that it is delivered, changed or not, it is indexed again (G4). */
export function isIncomplete(values: readonly IndexValues[]): boolean {
  return values.includes(FAILED_VALUES);
}

/** Calls an index function and checks what it gives; throws what it throws, or a TypeError. */
export function computeIndexValues<T>(indexFunction: IndexFunction<T>, object: T): IndexValues {
  const given: unknown = indexFunction(object);
  if (typeof given === 'string') return given;
  if (given === undefined) return NO_VALUES;
  if (!Array.isArray(given))
    throw new TypeError(
      `an index function must give a string, an array of strings or undefined, not ${describe(given)}`,
    );
  for (const value of given as readonly unknown[]) {
    if (typeof value !== 'string') throw new TypeError(`an index value must be a string, not ${describe(value)}`);
  }
  const values = given as readonly string[];
  if (values.length === 0) return NO_VALUES;
  if (values.length === 1) return values[0] as string;
  return [...new Set(values)];
}

export function hasIndexValue(values: IndexValues, value: string): boolean {
  return typeof values === 'string' ? values === value : values.includes(value);
}

export function forEachIndexValue(values: IndexValues, visit: (value: string) => void): void {
  if (typeof values === 'string') {
    visit(values);
    return;
  }
  values.forEach(visit);
}

export function areSameIndexValues(a: IndexValues, b: IndexValues): boolean {
  if (a === b) return true;
  if (a === FAILED_VALUES || b === FAILED_VALUES) return false;
  if (typeof a === 'string' || typeof b === 'string' || a.length !== b.length) return false;
  return a.every((value, position) => value === b[position]);
}

function describe(value: unknown): string {
  return value === null ? 'null' : typeof value;
}
