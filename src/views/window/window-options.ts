import type { LabelSelector } from '../../kubernetes/selector.js';
import type { SortColumn } from './sort-order.js';

/** Which objects a window looks at, in what order, and which part of them it shows. */
export interface WindowOptions<T, I extends string = string> {
  /** Only the objects of one bucket: the name of an index, and a value. Default: all objects. Another one is read anew. */
  readonly index?: readonly [name: I, value: string] | undefined;
  /** Only objects with these labels. Default: all. Another one filters once more. */
  readonly selector?: LabelSelector | undefined;
  /**
   * Only objects that this says yes to, for what a user types. Default: all. It is asked once for each version of an object, so it must depend
   * on the object alone. Another function filters once more, and does not sort.
   */
  readonly where?: ((object: T) => boolean) | undefined;
  /** By which columns, the first one first. Default: by key, which is also what decides where all columns are equal. Others sort once more. */
  readonly sortBy?: readonly SortColumn<T>[] | undefined;
  /** How many rows to leave out at the beginning. Default 0. A whole number. Another one costs what the window costs. */
  readonly offset?: number | undefined;
  /** How many rows to show at most. Default `Infinity`, which costs O(n) whenever any of them changes. A whole number, or `Infinity`. */
  readonly limit?: number | undefined;
}
