import type { Collection } from '../../collections/collection.js';
import { internalsOf } from '../../collections/log-collection.js';
import { partitionPrefix } from '../../kubernetes/keys.js';
import type { IndexFunction } from '../../store/index-functions.js';
import { checkedIndexValues, type IndexValues } from '../../store/index-values.js';
import type { IndexedSnapshot } from '../../store/indexed-snapshot.js';
import { keysOf } from './joined-keys.js';

/** The option that lets joins and groups cross partitions, such as clusters. */
export interface PartitionOptions {
  /**
   * True to combine objects of different partitions, such as clusters (see `mergeSources`). Then
   * references to objects are complete keys: a function that refers to the node `worker-1` of the
   * partition `eu` returns `eu:worker-1`. Groups have the value itself as their key.
   *
   * Default false: an object is combined only with objects of its own partition. Functions return
   * `worker-1`, and the key of a group is `eu:worker-1`. An index `on` then costs about 30 bytes
   * for each object in `leftJoin`, and 70 bytes in `groupJoin` and `distinct`.
   *
   * The option has no effect unless the keys of all inputs are made by `partitionedKey`.
   */
  readonly across?: boolean | undefined;
}

/** The index `selectedBy` of `selectorJoin`, with complete keys, with their partition. */
export const selectedByOf = ({ selectedBy }: { readonly selectedBy: readonly string[] }): readonly string[] =>
  selectedBy;

/**
 * Computes the values by which objects of the first input are joined or grouped. Inside partitions,
 * each value begins with the partition of its object, as keys do. So equal values of two partitions
 * differ.
 */
export class PartitionedValues<T> {
  /** True if no two partitions are combined. */
  readonly isInside: boolean;
  /** True if values need the partition in front. */
  readonly #isPrefixed: boolean;

  constructor(
    readonly by: string | ((object: T, key: string) => ReturnType<IndexFunction<T>>),
    { across }: PartitionOptions,
    ...inputs: readonly [Collection<T>, ...Collection<unknown>[]]
  ) {
    this.isInside = isInside({ across }, ...inputs);
    const indexer = typeof by === 'string' ? internalsOf(inputs[0]).log.latest.indexers[by] : undefined;
    this.#isPrefixed = this.isInside && (indexer as unknown) !== selectedByOf;
  }

  /** @throws the error of the function */
  of(objects: IndexedSnapshot<T>, key: string, object: T): IndexValues {
    const { by } = this;
    const values = typeof by === 'string' ? objects.indexValuesOf(by, key) : checkedIndexValues(by(object, key));
    return this.inPartition(key, values);
  }

  /** Adds the partition of a key to values, if they need it. */
  inPartition(key: string, values: IndexValues): IndexValues {
    if (!this.#isPrefixed) return values;
    const prefix = partitionPrefix(key);
    if (typeof values === 'string') return prefix + values;
    return values.length === 0 ? values : values.map((value) => prefix + value);
  }

  /** Returns the value as the function or the index has returned it. */
  withoutPartition(value: string): string {
    return this.#isPrefixed ? value.slice(partitionPrefix(value).length) : value;
  }

  /** Returns the keys to which a value refers, in another collection with an index. */
  keysUnder<R>(objects: IndexedSnapshot<R>, index: string, value: string): string[] {
    const keys = keysOf(objects.bucket(index, this.withoutPartition(value)));
    if (!this.#isPrefixed) return keys;
    const prefix = partitionPrefix(value);
    return keys.filter((key) => key.startsWith(prefix));
  }
}

/** Returns true if an operator combines only objects of the same partition. */
export function isInside({ across }: PartitionOptions, ...inputs: readonly Collection<unknown>[]): boolean {
  return across !== true && inputs.every((input) => internalsOf(input).isPartitioned);
}
