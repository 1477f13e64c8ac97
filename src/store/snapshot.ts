import type { Reads } from './reads.js';

/**
 * One immutable version of the store.
 *
 * **Guarantees**: every read answers from this one version (S3), for as long as it is held.
 */
export interface Snapshot<T, I extends string = string> extends Reads<T, I> {
  /** How many commits changed the content so far; 0 means nothing has been committed yet. */
  readonly version: number;
  /** The last resourceVersion seen, `''` where there is none; opaque (S14). */
  readonly resourceVersion: string;
  readonly size: number;
}
