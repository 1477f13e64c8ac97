import { IndexFunctionError, IndexerConflictError, UnknownIndexError } from './errors.js';

/**
 * Gives the index values of an object: one string, any number of strings, or none (`undefined`, `[]`).
 *
 * It must be pure: the same object, the same values. One that throws, or gives something that is not a string or an
 * array of strings, is reported as an `IndexFunctionError`; the object stays in the store and in the other indexes.
 */
export type IndexFunction<T> = (object: T) => string | readonly string[] | undefined;

/**
 * Index functions by name, client-go's `Indexers`.
 *
 * The names `I` are inferred where they are written, and checked where they are used. A call with one explicit type argument
 * (`informer<Pod>(…)`) cannot infer them, so with `I = never` there can be no function in it.
 */
export type Indexers<T, I extends string = string> = Readonly<Record<I, IndexFunction<T>>> &
  Readonly<
    Record<
      [I] extends [never] ? string : never,
      'index names are inferred only without type arguments: leave <T> out, or write <T, Names>'
    >
  >;

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

/** One object in the store, with what was computed from it when it came in. */
export interface Entry<T> {
  readonly key: string;
  readonly object: T;
  /** The values under each index, in the order of the schema; remembered, so that removal never asks an index function (▲ S12). */
  readonly values: readonly IndexValues[];
  /** The merged source that the object came from, if any. */
  readonly partition: string | undefined;
}

/** The indexes of a store, in a fixed order: an entry remembers its values by position. */
export class IndexSchema<T, I extends string = string> {
  readonly indexers: Indexers<T, I>;
  readonly names: readonly I[];
  readonly #functions: readonly IndexFunction<T>[];
  readonly #positions: ReadonlyMap<string, number>;

  /** The caller's object is copied, so changing it later changes nothing (▲ S11). */
  constructor(indexers: Indexers<T, I>, names: readonly I[] = Object.keys(indexers) as I[]) {
    this.indexers = Object.freeze({ ...indexers });
    this.names = names;
    this.#functions = this.names.map((name) => this.indexers[name]);
    this.#positions = new Map(this.names.map((name, position) => [name, position]));
  }

  /** S8: throws where there is no such index. */
  position(name: string): number {
    const position = this.#positions.get(name);
    if (position === undefined) throw new UnknownIndexError(name, this.names);
    return position;
  }

  /** S11: all of them or none. The new ones come last whatever their names, so that every position stays what it was. */
  with<J extends string>(added: Indexers<T, J>): IndexSchema<T, I | J> {
    const names = Object.keys(added) as J[];
    const conflicts = names.filter((name) => this.#positions.has(name));
    if (conflicts.length > 0) throw new IndexerConflictError(conflicts);
    return new IndexSchema<T, I | J>({ ...this.indexers, ...added }, [...this.names, ...names]);
  }

  /** The values of one object under one index; throws what the index function throws. */
  valuesOf(position: number, object: T): IndexValues {
    return computeIndexValues(this.#functions[position] as IndexFunction<T>, object);
  }

  /**
   * The values of an object under every index; one that fails gives no values, and is reported (S7 ▲).
   * Where nothing differs from `previous`, its array is given back, so that the caller can tell by identity.
   */
  computeAll(
    key: string,
    object: T,
    previous: Entry<T> | undefined,
    report: (error: IndexFunctionError) => void,
  ): readonly IndexValues[] {
    const values: IndexValues[] = [];
    let isSame = previous !== undefined;
    for (let position = 0; position < this.names.length; position++) {
      const value = this.#compute(position, key, object, report);
      isSame &&= areSameIndexValues(value, previous?.values[position] ?? NO_VALUES);
      values.push(value);
    }
    return previous && isSame ? previous.values : values;
  }

  /** The values of an entry from before indexes were added: what it stands under is remembered, only the new ones are computed (▲ S12). */
  computeAdded({ key, object, values }: Entry<T>, report: (error: IndexFunctionError) => void): readonly IndexValues[] {
    return this.names.map((_, position) => values[position] ?? this.#compute(position, key, object, report));
  }

  #compute(position: number, key: string, object: T, report: (error: IndexFunctionError) => void): IndexValues {
    try {
      return this.valuesOf(position, object);
    } catch (cause) {
      report(new IndexFunctionError(this.names[position] as I, key, cause));
      return FAILED_VALUES;
    }
  }
}
