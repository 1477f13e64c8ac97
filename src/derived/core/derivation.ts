import type { Collection } from '../../collections/collection.js';
import { forEachInSlices, type Slices } from '../../scheduling/slices.js';
import type { IndexedSnapshot } from '../../store/indexed-snapshot.js';

/** The collections that a derived collection reads, by the types of their objects. */
export type Inputs<Ts extends readonly unknown[]> = { readonly [K in keyof Ts]: Collection<Ts[K]> };

/** One version of each input. */
export type Versions<Ts extends readonly unknown[]> = { readonly [K in keyof Ts]: IndexedSnapshot<Ts[K]> };

/** The changes of each input since the last call of the derivation. */
export type InputChanges<Ts extends readonly unknown[]> = { readonly [K in keyof Ts]: InputChange<Ts[K]> };

/** The change of one input: two versions of it, and the keys in which they may differ. */
export interface InputChange<T> {
  /** The version from which the present rows were computed. */
  readonly previous: IndexedSnapshot<T>;
  /** The version from which to compute the rows now. It is `previous` itself if nothing changed. */
  readonly current: IndexedSnapshot<T>;
  /** The keys of the objects that changed, each once, in no particular order. */
  readonly keys: readonly string[];
}

/**
 * Computes the rows of a derived collection. `fill` computes all rows once. After that, `update`
 * computes only the rows that a change of the inputs affects. Each operator is one derivation.
 *
 * After each call, the rows must be those that the operator would compute from scratch from the
 * current versions (J2). A call must cost O(changes + affected rows) (J5). A derivation may keep
 * state, because `fill` is called only once on each derivation.
 *
 * A computation over many objects yields now and then (`forEachInSlices`), so that it does not
 * block the event loop. The versions passed to it do not change in the meantime.
 *
 * `DerivedNode` decides when to call it, and with which versions.
 *
 * A derivation calls the user's functions only through `rows.call`, which reports their errors.
 */
export interface Derivation<Ts extends readonly unknown[], R> {
  /** Sets the rows for all objects of the inputs. */
  fill(versions: Versions<Ts>, rows: Rows<R>): Slices<void>;
  /** Sets and deletes the rows that follow from changes of the inputs. */
  update(changes: InputChanges<Ts>, rows: Rows<R>): Slices<void>;
  /** When to call `wake`, in ms since 1970; read after each call. Default: never. */
  readonly wakeAt?: number | undefined;
  /** Sets and deletes the rows that change because time has passed, such as expired ones. */
  wake?(now: number, rows: Rows<R>): Slices<void>;
}

/** The rows of a derived collection while one commit is computed. */
export interface Rows<R> {
  /** Returns a row, including changes already made in this commit. */
  get(key: string): R | undefined;
  /** Returns the keys of the rows as they were before this commit. */
  keys(): readonly string[];
  /** Calls `visit` with the keys under an index value, with changes of this commit. */
  forEachIn(index: string, value: string, visit: (key: string) => void): void;
  /** Sets a row, or deletes it. A row that equals the previous one is no change (J3). */
  set(key: string, row: R | null | undefined): void;
  delete(key: string): void;
  /**
   * Calls a function of the user. If it throws, reports an `RXI_DERIVED_ROW` with `keys`, and
   * returns `undefined`. `name` is its option or parameter, such as `select`; `keys` are those of
   * all objects passed to it, or a function that returns them.
   */
  call<V>(name: string, keys: readonly string[] | (() => readonly string[]), compute: () => V): V | undefined;
}

/** Calls a function for each changed object. The function sets only the rows of that object. */
export class ForEachObject<T, R> implements Derivation<readonly [T], R> {
  constructor(private readonly setRows: (key: string, object: T | undefined, rows: Rows<R>) => void) {}

  *fill([objects]: Versions<readonly [T]>, rows: Rows<R>): Slices<void> {
    yield* forEachInSlices(objects.keysOnce(), (key) => {
      this.setRows(key, objects.get(key), rows);
    });
  }

  *update([{ current, keys }]: InputChanges<readonly [T]>, rows: Rows<R>): Slices<void> {
    yield* forEachInSlices(keys, (key) => {
      this.setRows(key, current.get(key), rows);
    });
  }
}
