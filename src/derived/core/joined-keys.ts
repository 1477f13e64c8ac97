import type { Collection } from '../../collections/collection.js';
import { internalsOf } from '../../collections/log-collection.js';
import { FAILED_VALUES, type IndexValues } from '../../store/index-values.js';
import type { BucketReads } from '../../store/snapshot.js';

export const nothing: readonly never[] = Object.freeze([]);

/** The largest number of right objects that an error names. */
export const maxKeysNamed = 10;

/** Throws `RXI_UNKNOWN_INDEX` when the join is created, not only in the first commit (S8). */
export function checkIndex(collection: Collection<unknown>, index: string): void {
  internalsOf(collection).log.latest.parts.schema.position(index);
}

/** Returns the values of an object; throws if they are from an index whose function failed. */
export function checkedValues(index: unknown, values: IndexValues): IndexValues {
  if (values === FAILED_VALUES) throw new Error(`the function of the index ${JSON.stringify(index)} failed`);
  return values;
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
