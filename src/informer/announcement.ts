import type { DeletedChange } from '../store/change.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { IndexedCommit } from '../store/reduce.js';

/** One commit, and the version that was announced before it. */
export class Announcement<T> {
  #deletions: ReadonlyMap<string, DeletedChange<T>> | undefined;

  constructor(
    readonly previous: IndexedSnapshot<T>,
    readonly commit: IndexedCommit<T>,
  ) {}

  /** The deletions by key; found once for all listeners, and only where one of them asks. */
  deletion(key: string): DeletedChange<T> | undefined {
    this.#deletions ??= new Map(
      this.commit.changes.flatMap((change) => (change.type === 'deleted' ? [[change.key, change] as const] : [])),
    );
    return this.#deletions.get(key);
  }
}
