import type { Entry } from './entry.js';
import type { IndexFunction, Indexers } from './index-function.js';
import { areSameIndexValues, computeIndexValues, NO_VALUES, type IndexValues } from './index-values.js';
import { IndexFunctionError, IndexerConflictError, UnknownIndexError } from './store-error.js';

/** The indexes of a store, in a fixed order: an entry remembers its values by position. */
export class IndexSchema<T, I extends string = string> {
  readonly indexers: Indexers<T, I>;
  readonly names: readonly I[];
  readonly #functions: readonly IndexFunction<T>[];
  readonly #positions: ReadonlyMap<string, number>;

  /** The caller's object is copied, so changing it later changes nothing (▲ S11). */
  constructor(indexers: Indexers<T, I>) {
    this.indexers = Object.freeze({ ...indexers });
    this.names = Object.keys(indexers) as I[];
    this.#functions = this.names.map((name) => this.indexers[name]);
    this.#positions = new Map(this.names.map((name, position) => [name, position]));
  }

  /** S8: throws where there is no such index. */
  position(name: string): number {
    const position = this.#positions.get(name);
    if (position === undefined) throw new UnknownIndexError(name, this.names);
    return position;
  }

  /** S11: all of them or none. */
  with<J extends string>(added: Indexers<T, J>): IndexSchema<T, I | J> {
    const conflicts = Object.keys(added).filter((name) => this.#positions.has(name));
    if (conflicts.length > 0) throw new IndexerConflictError(conflicts);
    return new IndexSchema<T, I | J>({ ...this.indexers, ...added } as Indexers<T, I | J>);
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
    const values = this.names.map((name, position) => {
      try {
        return this.valuesOf(position, object);
      } catch (cause) {
        report(new IndexFunctionError(name, key, cause));
        return NO_VALUES;
      }
    });
    if (previous && values.every((value, position) => areSameIndexValues(value, previous.values[position] ?? NO_VALUES))) {
      return previous.values;
    }
    return values;
  }
}
