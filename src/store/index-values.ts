import { type RxInformersError } from '../kubernetes/errors.js';
import { statedKind } from '../kubernetes/object.js';
import { unknownIndexError, indexerConflictError, indexFunctionError } from './errors.js';
import type { IndexFunction, Indexers } from './index-functions.js';
import { pureFunctions } from './pure-function.js';

/** Checked values without duplicates. A single value, the usual case, is not in an array. */
export type IndexValues = string | readonly string[];

export const NO_VALUES: IndexValues = Object.freeze([]);

/** The values of an object in a store without indexes. */
const NO_INDEXES: readonly IndexValues[] = Object.freeze([]);

/** The values of a failed index function: empty, but not identical to an empty result. */
export const FAILED_VALUES: IndexValues = Object.freeze([]);

/** Returns true if an index function failed. The next delivery indexes the object again (G4). */
export function isIncomplete(values: readonly IndexValues[]): boolean {
  return values.includes(FAILED_VALUES);
}

/** Calls an index function. Throws its errors, and TypeError for what is no index value. */
export function computeIndexValues<T>(indexFunction: IndexFunction<T>, object: T): IndexValues {
  return checkedIndexValues(indexFunction(object));
}

/** Throws TypeError for a result of an index function that is not an index value. */
export function checkedIndexValues(returned: unknown): IndexValues {
  if (typeof returned === 'string') return returned;
  if (returned === undefined) return NO_VALUES;
  if (!Array.isArray(returned))
    throw new TypeError(
      `an index function must return a string, an array of strings or undefined, not ${typeName(returned)}`,
    );
  for (const value of returned as readonly unknown[]) {
    if (typeof value !== 'string') throw new TypeError(`an index value must be a string, not ${typeName(value)}`);
  }
  const values = returned as readonly string[];
  if (values.length === 0) return NO_VALUES;
  if (values.length === 1) return values[0] as string;
  const distinct = [...new Set(values)];
  return distinct.length === 1 ? (distinct[0] as string) : distinct;
}

/** The number of values up to which a search through the array is faster than a Set. */
const fewValues = 8;

/** Returns a function that returns true for each of the values. Its calls cost O(1). */
export function membership(values: IndexValues): (value: string) => boolean {
  if (typeof values === 'string') return (value) => value === values;
  if (values.length <= fewValues) return (value) => values.includes(value);
  const set = new Set(values);
  return (value) => set.has(value);
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

function typeName(value: unknown): string {
  return value === null ? 'null' : typeof value;
}

/** Holds one object of the store, with the values computed from it when it was added. */
export interface Entry<T> {
  readonly key: string;
  readonly object: T;
  /** They are in the order of the schema, and kept: a removal calls no index function (▲ S12). */
  readonly values: readonly IndexValues[];
  /** The partition of the object, if its source is merged. */
  readonly partition: string | undefined;
}

/** Defines the indexes of a store, in a fixed order: an entry keeps its values by position. */
export class IndexSchema<T, I extends string = string> {
  readonly indexers: Indexers<T, I>;
  readonly names: readonly I[];
  readonly #functions: readonly IndexFunction<T>[];
  readonly #pure = pureFunctions((index) => `the function of the index ${index}`);
  readonly #positions: ReadonlyMap<string, number>;

  /** Copies `indexers`, so that changing it later has no effect (▲ S11). */
  constructor(indexers: Indexers<T, I>, names: readonly I[] = Object.keys(indexers) as I[]) {
    this.indexers = Object.freeze({ ...indexers });
    this.names = names;
    this.#functions = this.names.map((name) => this.indexers[name]);
    this.#positions = new Map(this.names.map((name, position) => [name, position]));
  }

  /** Returns the position of an index. Throws `RXI_UNKNOWN_INDEX` if it does not exist (S8). */
  position(name: string): number {
    const position = this.#positions.get(name);
    if (position === undefined) throw unknownIndexError(name, this.names);
    return position;
  }

  /**
   * Returns a schema with more indexes, the new ones last, so that positions stay the same (S11).
   *
   * @throws `RXI_INDEXER_CONFLICT` if one of the names is taken
   */
  with<J extends string>(added: Indexers<T, J>): IndexSchema<T, I | J> {
    const names = Object.keys(added) as J[];
    const conflicts = names.filter((name) => this.#positions.has(name));
    if (conflicts.length > 0) throw indexerConflictError(conflicts);
    return new IndexSchema<T, I | J>({ ...this.indexers, ...added }, [...this.names, ...names]);
  }

  /** Returns the values of an object under an index. Throws errors of the index function. */
  valuesOf(position: number, object: T): IndexValues {
    return computeIndexValues(this.#functions[position] as IndexFunction<T>, object);
  }

  /**
   * Returns the values of an object under every index, none for a failing function, whose error is
   * reported (S7 ▲). Returns the array of `previous` if all values are equal.
   */
  computeAll(
    key: string,
    object: T,
    previous: Entry<T> | undefined,
    report: (error: RxInformersError<'RXI_INDEX_FUNCTION'>) => void,
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

  /** Returns the values of an entry for a larger schema. Only new ones are computed (▲ S12). */
  computeAdded(
    { key, object, values }: Entry<T>,
    report: (error: RxInformersError<'RXI_INDEX_FUNCTION'>) => void,
  ): readonly IndexValues[] {
    return this.names.map((_, position) => values[position] ?? this.#compute(position, key, object, report));
  }

  #compute(
    position: number,
    key: string,
    object: T,
    report: (error: RxInformersError<'RXI_INDEX_FUNCTION'>) => void,
  ): IndexValues {
    try {
      const indexFunction = this.#functions[position] as IndexFunction<T>;
      if (this.#pure === undefined) return checkedIndexValues(indexFunction(object));
      return checkedIndexValues(this.#pure.call(this.names[position] as I, () => indexFunction(object)));
    } catch (cause) {
      report(indexFunctionError(this.names[position] as I, key, cause, statedKind(object)));
      return FAILED_VALUES;
    }
  }
}
