import type { Collection } from '../../collections/collection.js';
import { internalsOf } from '../../collections/log-collection.js';
import type { IndexFunction } from '../../store/index-functions.js';
import type { IndexedSnapshot } from '../../store/indexed-snapshot.js';
import { computeIndexValues, FAILED_VALUES, type IndexValues, NO_VALUES } from '../../store/indexing.js';
import type { BucketReads } from '../../store/snapshot.js';

export const nothing: readonly never[] = Object.freeze([]);

/** The largest number of right objects that an error names. */
export const mostKeysNamed = 10;

/**
 * Throws `UnknownIndexError` if there is no such index. Called when the join is created, so that
 * the error does not occur only in the first commit (S8).
 */
export function checkIndex(collection: Collection<unknown>, index: string): void {
  internalsOf(collection).log.latest.parts.schema.position(index);
}

/** Returns the values of an object under an index; throws if its index function failed. */
export function indexedValues<T>(snapshot: IndexedSnapshot<T>, index: string, key: string): IndexValues {
  const values = snapshot.indexValuesOf(index, key);
  if (values === FAILED_VALUES) throw new Error(`the function of the index ${JSON.stringify(index)} failed`);
  return values;
}

/**
 * Returns the values by which left objects refer to this right object: its values under an index,
 * or its key.
 */
export function valuesUnder<T>(
  snapshot: IndexedSnapshot<T>,
  index: string | undefined,
  key: string,
): readonly string[] {
  const values = index === undefined ? key : snapshot.indexValuesOf(index, key);
  return typeof values === 'string' ? [values] : values;
}

/** Returns the values of a function; none if it throws. Its errors are reported elsewhere. */
export function valuesOrNone<T>(on: IndexFunction<T>, object: T): IndexValues {
  try {
    return computeIndexValues(on, object);
  } catch {
    return NO_VALUES;
  }
}

export function onlyOne(values: IndexValues): IndexValues {
  if (typeof values === 'string' || values.length === 0) return values;
  throw new RangeError(
    `the object has ${String(values.length)} values, but may have at most one: ${values.join(', ')}`,
  );
}

/** Returns the keys of a bucket, without creating an array that the snapshot would keep. */
export function keysOf(bucket: BucketReads<unknown> | undefined): string[] {
  const keys: string[] = [];
  bucket?.forEach(({ key }) => keys.push(key));
  return keys;
}
