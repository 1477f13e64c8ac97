import type { Collection } from '../../informer/collection.js';
import type { IndexedSnapshot } from '../../store/indexed-snapshot.js';
import type { Slices } from '../../store/slices.js';

/** The collections that a derived collection reads, by the types of their objects. */
export type Inputs<Ts extends readonly unknown[]> = { readonly [K in keyof Ts]: Collection<Ts[K]> };

/** One version of each input. */
export type Versions<Ts extends readonly unknown[]> = { readonly [K in keyof Ts]: IndexedSnapshot<Ts[K]> };

/** What happened to each input since the derivation was called last. */
export type InputChanges<Ts extends readonly unknown[]> = { readonly [K in keyof Ts]: InputChange<Ts[K]> };

/** What happened to one input: two versions of it, and the keys in which they may differ. */
export interface InputChange<T> {
  /** The version that the rows were computed from so far. */
  readonly previous: IndexedSnapshot<T>;
  /** The version to compute them from now; `previous` itself if nothing changed. */
  readonly current: IndexedSnapshot<T>;
  /** The keys of the objects that changed, each once, in no particular order. */
  readonly keys: readonly string[];
}

/**
 * Computes the rows of a derived collection: all of them once, then those that changes of the inputs
 * affect. Each operator is one derivation.
 *
 * After each call, the rows must equal the pure function of the current versions that the operator
 * promises (J2), at a cost of O(changes + affected rows) (J5). It may have state of its own, for
 * one run: `fill` is called once on each derivation.
 *
 * A computation that handles many objects yields in between (`forEachInSlices`), so that the event
 * loop stays free. The versions that it was given do not change meanwhile.
 *
 * Functions of the user are called through `rows.call` only, which reports what they throw.
 */
export interface Derivation<Ts extends readonly unknown[], R> {
  /** Sets the rows for everything that the inputs hold. */
  fill(versions: Versions<Ts>, rows: Rows<R>): Slices<void>;
  /** Sets and deletes the rows that follow from changes of the inputs. */
  update(changes: InputChanges<Ts>, rows: Rows<R>): Slices<void>;
  /** When `wake` has to be called, in milliseconds since 1970; read after each call. Default: never. */
  readonly wakeAt?: number | undefined;
  /** Sets and deletes the rows that follow from the time alone. */
  wake?(now: number, rows: Rows<R>): Slices<void>;
}

/** The rows of a derived collection while one commit is computed. */
export interface Rows<R> {
  /** Returns a row as it is so far, in this commit. */
  get(key: string): R | undefined;
  /** Calls `visit` with the keys of the rows under a value of an index, as they are so far in this commit. */
  forEachIn(index: string, value: string, visit: (key: string) => void): void;
  /** Sets a row; `undefined` deletes it. A row that equals the one before is no change (J3). */
  set(key: string, row: R | undefined): void;
  delete(key: string): void;
  /**
   * Calls a function of the user and returns what it returns. If it throws, reports a `DerivedRowError`
   * with `keys`, and returns `undefined`.
   *
   * @param name the option or parameter that the function is, such as `select`
   * @param keys the keys of the objects that it is called with, those of all sides
   */
  call<V>(name: string, keys: readonly string[], compute: () => V): V | undefined;
}
