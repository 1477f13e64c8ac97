import type { Entry } from './entry.js';
import type { IndexFunction, Indexers } from './index-function.js';
import { areSameIndexValues, computeIndexValues, FAILED_VALUES, NO_VALUES, type IndexValues } from './index-values.js';
import { IndexFunctionError, IndexerConflictError, UnknownIndexError } from './store-error.js';

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
