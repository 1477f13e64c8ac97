import type { DeletedChange } from '../store/change.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { IndexedCommit } from '../store/stages.js';

/** One commit, and the version that was announced before it. */
export class Announcement<T> {
  #deletions: Map<string, DeletedChange<T>> | undefined;

  constructor(
    readonly previous: IndexedSnapshot<T>,
    readonly commit: IndexedCommit<T>,
  ) {}

  /** False where no listener can see a difference: a bookmark, a failure, a list of what was there already. */
  get hasNews(): boolean {
    return this.commit.changes.length > 0 || this.commit.snapshot.version !== this.previous.version;
  }

  /** True for the first content since the collection was created or emptied. */
  get isFirst(): boolean {
    return this.previous.version === 0 && this.commit.snapshot.version > 0;
  }

  /**
   * How the object that the previous version holds under a key went, if it did: the first deletion of the key, because later ones are of
   * objects that came and went within the commit. Found once for all listeners, and only where one of them asks.
   */
  deletion(key: string): DeletedChange<T> | undefined {
    if (!this.#deletions) {
      this.#deletions = new Map();
      for (const change of this.commit.changes) {
        if (change.type === 'deleted' && !this.#deletions.has(change.key)) this.#deletions.set(change.key, change);
      }
    }
    return this.#deletions.get(key);
  }
}
