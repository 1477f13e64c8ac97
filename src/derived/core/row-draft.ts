import { forEachInSlices, type Slices } from '../../scheduling/slices.js';
import type { ChangeReason } from '../../store/change.js';
import { derivedRowError } from '../../store/errors.js';
import type { IndexedSnapshot } from '../../store/indexed-snapshot.js';
import type { PureFunctions } from '../../store/pure-function.js';
import { type Keeping, SnapshotDraft } from '../../store/snapshot-draft.js';
import type { IndexedCommit } from '../../store/stages.js';
import type { Rows } from './derivation.js';

/** The rows during one commit. Writes become changes of the snapshot. */
export class RowDraft<R> implements Rows<R> {
  readonly #draft: SnapshotDraft<R, string>;
  /** The keys that were set since `beginReplacing`. */
  #replacing: Set<string> | undefined;

  constructor(
    private readonly collection: string,
    private readonly original: IndexedSnapshot<R>,
    keeping: Keeping,
    /** The reason of the commit. With `relist`, deletions are marked as inferred. */
    readonly reason: ChangeReason,
    private readonly functions: PureFunctions | undefined,
  ) {
    this.#draft = new SnapshotDraft(original, keeping);
  }

  get(key: string): R | undefined {
    return this.#draft.get(key);
  }

  keys(): readonly string[] {
    return this.original.keys();
  }

  forEachIn(index: string, value: string, visit: (key: string) => void): void {
    this.#draft.forEachIn(index, value, visit);
  }

  set(key: string, row: R | null | undefined): void {
    if (row === undefined || row === null) {
      this.delete(key);
      return;
    }
    this.#replacing?.add(key);
    this.#draft.upsert({ key, object: row }, undefined);
  }

  delete(key: string): void {
    this.#replacing?.delete(key);
    this.#draft.delete(key, undefined, this.reason === 'relist', undefined);
  }

  call<V>(name: string, keys: readonly string[] | (() => readonly string[]), compute: () => V): V | undefined {
    try {
      return this.functions === undefined ? compute() : this.functions.call(name, compute);
    } catch (cause) {
      const all = typeof keys === 'function' ? keys() : keys;
      this.#draft.errors.push(derivedRowError(this.collection, name, all, cause));
      return undefined;
    }
  }

  /** Begins a computation that sets all rows again. */
  beginReplacing(): void {
    this.#replacing = new Set();
  }

  /** Deletes the rows that were not set since `beginReplacing`. */
  *endReplacing(): Slices<void> {
    const kept = this.#replacing;
    this.#replacing = undefined;
    if (kept === undefined) return;
    yield* forEachInSlices(this.original.keysOnce(), (key) => {
      if (!kept.has(key)) this.delete(key);
    });
  }

  /**
   * Returns the commit, or `undefined` if nothing changed and nothing failed. The first commit is
   * always returned, even without rows, because it makes the collection synced.
   */
  *finish(): Slices<IndexedCommit<R> | undefined> {
    const { changes, errors } = this.#draft;
    const snapshot = yield* this.#draft.finish('', this.reason === 'initial');
    if (snapshot === this.original && changes.length === 0 && errors.length === 0) return undefined;
    return { snapshot, reason: this.reason, changes, errors };
  }
}
