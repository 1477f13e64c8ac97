import type { IndexValues } from './index-values.js';

/** One object in the store, with what was computed from it when it came in. */
export interface Entry<T> {
  readonly key: string;
  readonly object: T;
  /** The values under each index, in the order of the schema; remembered, so that removal never asks an index function (▲ S12). */
  readonly values: readonly IndexValues[];
  /** The merged source that the object came from, if any. */
  readonly partition: string | undefined;
}
