import { statedKind } from '../kubernetes/object.js';
import { IndexFunctionError, IndexerConflictError, UnknownIndexError } from './errors.js';
import type { IndexFunction, Indexers } from './index-functions.js';

/**
 * The checked values of an index function, without duplicates. A single value is not wrapped in an
 * array, because nearly every object has exactly one.
 */
export type IndexValues = string | readonly string[];

export const NO_VALUES: IndexValues = Object.freeze([]);

/** The values of an object in a store without indexes. */
const NO_INDEXES: readonly IndexValues[] = Object.freeze([]);

/**
 * The values of an object whose index function failed. It is empty, but not identical to an empty
 * result.
 */
export const FAILED_VALUES: IndexValues = Object.freeze([]);

/**
 * Returns true if an index function failed for the object. Such an object is indexed again at its
 * next delivery, even if it did not change (G4).
 */
export function isIncomplete(values: readonly IndexValues[]): boolean {
  return values.includes(FAILED_VALUES);
}

/**
 * Calls an index function and checks its result.
 *
 * @throws TypeError for a result that is not an index value, and any error of the function
 */
export function computeIndexValues<T>(indexFunction: IndexFunction<T>, object: T): IndexValues {
  return checkedIndexValues(indexFunction(object));
}

/**
 * Checks the result of an index function.
 *
 * @throws TypeError for a result that is not an index value
 */
export function checkedIndexValues(given: unknown): IndexValues {
  if (typeof given === 'string') return given;
  if (given === undefined) return NO_VALUES;
  if (!Array.isArray(given))
    throw new TypeError(
      `an index function must return a string, an array of strings or undefined, not ${describe(given)}`,
    );
  for (const value of given as readonly unknown[]) {
    if (typeof value !== 'string') throw new TypeError(`an index value must be a string, not ${describe(value)}`);
  }
  const values = given as readonly string[];
  if (values.length === 0) return NO_VALUES;
  if (values.length === 1) return values[0] as string;
  const distinct = [...new Set(values)];
  return distinct.length === 1 ? (distinct[0] as string) : distinct;
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

/** Holds one object of the store, with the values computed from it when it was added. */
export interface Entry<T> {
  readonly key: string;
  readonly object: T;
  /**
   * The values under each index, in the order of the schema. They are kept, so that removing the
   * object never calls an index function (▲ S12).
   */
  readonly values: readonly IndexValues[];
  /** The partition of the object, if its source is merged. */
  readonly partition: string | undefined;
}

/** Defines the indexes of a store, in a fixed order: an entry keeps its values by position. */
export class IndexSchema<T, I extends string = string> {
  readonly indexers: Indexers<T, I>;
  readonly names: readonly I[];
  readonly #functions: readonly IndexFunction<T>[];
  readonly #positions: ReadonlyMap<string, number>;

  /** Copies `indexers`, so that changing it later has no effect (▲ S11). */
  constructor(indexers: Indexers<T, I>, names: readonly I[] = Object.keys(indexers) as I[]) {
    this.indexers = Object.freeze({ ...indexers });
    this.names = names;
    this.#functions = this.names.map((name) => this.indexers[name]);
    this.#positions = new Map(this.names.map((name, position) => [name, position]));
  }

  /**
   * Returns the position of an index.
   *
   * @throws UnknownIndexError if there is no such index (S8)
   */
  position(name: string): number {
    const position = this.#positions.get(name);
    if (position === undefined) throw new UnknownIndexError(name, this.names);
    return position;
  }

  /**
   * Returns a schema with more indexes (S11). The new indexes come last, so that all positions stay
   * the same.
   *
   * @throws IndexerConflictError if one of the names is taken
   */
  with<J extends string>(added: Indexers<T, J>): IndexSchema<T, I | J> {
    const names = Object.keys(added) as J[];
    const conflicts = names.filter((name) => this.#positions.has(name));
    if (conflicts.length > 0) throw new IndexerConflictError(conflicts);
    return new IndexSchema<T, I | J>({ ...this.indexers, ...added }, [...this.names, ...names]);
  }

  /**
   * Returns the values of one object under one index.
   *
   * @throws any error of the index function
   */
  valuesOf(position: number, object: T): IndexValues {
    return computeIndexValues(this.#functions[position] as IndexFunction<T>, object);
  }

  /**
   * Returns the values of an object under every index. If an index function fails, the error is
   * reported and the object has no values in that index (S7 ▲). If all values equal those of
   * `previous`, its array is returned, so that the caller can compare by identity.
   */
  computeAll(
    key: string,
    object: T,
    previous: Entry<T> | undefined,
    report: (error: IndexFunctionError) => void,
  ): readonly IndexValues[] {
    if (this.names.length === 0) return NO_INDEXES;
    let values: IndexValues[] | undefined;
    for (let position = 0; position < this.names.length; position++) {
      const value = this.#compute(position, key, object, report);
      if (values === undefined && previous !== undefined) {
        if (areSameIndexValues(value, previous.values[position] ?? NO_VALUES)) continue;
        values = previous.values.slice(0, position);
      }
      (values ??= []).push(value);
    }
    if (values === undefined) return previous?.values ?? NO_INDEXES;
    // Copy the array to save memory: an array that has grown by `push` keeps 17 slots, and the
    // store has one for each object.
    return values.slice();
  }

  /**
   * Returns the values of an entry after indexes were added. Only the values of the new indexes are
   * computed (▲ S12).
   */
  computeAdded({ key, object, values }: Entry<T>, report: (error: IndexFunctionError) => void): readonly IndexValues[] {
    return this.names.map((_, position) => values[position] ?? this.#compute(position, key, object, report));
  }

  #compute(position: number, key: string, object: T, report: (error: IndexFunctionError) => void): IndexValues {
    try {
      return this.valuesOf(position, object);
    } catch (cause) {
      report(new IndexFunctionError(this.names[position] as I, key, cause, statedKind(object)));
      return FAILED_VALUES;
    }
  }
}
