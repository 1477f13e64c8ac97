import type { Footprint } from '../queries/query.js';
import type { DeletedChange } from '../store/change.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import { forEachIndexValue } from '../store/indexing.js';
import type { IndexRange } from '../store/snapshot.js';
import type { IndexedCommit } from '../store/stages.js';

/** A subscriber of a collection that is called for the commits that touch its footprint. */
export interface Listener<T> {
  /**
   * @param keys the changed keys that touch the footprint, each once. Empty for the first content,
   * because all of it is new.
   */
  announce(announcement: Announcement<T>, keys: readonly string[]): void;
  complete(): void;
}

type Group<T> = Map<string, Set<Listener<T>>>;

/** The listeners to one index. */
interface IndexGroup<T> {
  readonly buckets: Group<T>;
  readonly ranges: Map<Listener<T>, IndexRange>;
}

/**
 * Finds the listeners that a commit concerns. They are looked up from the changed keys, so the cost
 * follows the change and not the number of listeners (G10); only listeners to a range of an index
 * are compared one by one, with each index value of a changed object.
 *
 * The first content is announced to all listeners, because that there is content is news, too.
 */
export class Listeners<T> {
  readonly #all = new Set<Listener<T>>();
  readonly #everything = new Set<Listener<T>>();
  readonly #keys: Group<T> = new Map();
  readonly #indexes = new Map<string, IndexGroup<T>>();

  /** A copy of the current listeners, in the order in which they were added. */
  get all(): readonly Listener<T>[] {
    return [...this.#all];
  }

  /** Removes all listeners and returns them. */
  detach(): readonly Listener<T>[] {
    const { all } = this;
    this.#all.clear();
    this.#everything.clear();
    this.#keys.clear();
    this.#indexes.clear();
    return all;
  }

  /** Adds a listener and returns the function that removes it. A listener is called once for each commit. */
  add(footprint: Footprint, listener: Listener<T>): () => void {
    const leave = this.#join(footprint, listener);
    this.#all.add(listener);
    return () => {
      this.#all.delete(listener);
      leave();
    };
  }

  /** A listener that is added meanwhile has started from this commit and is not called for it. */
  announce(announcement: Announcement<T>): void {
    for (const [listener, keys] of this.#concerned(announcement)) listener.announce(announcement, keys);
  }

  complete(): void {
    for (const listener of this.all) listener.complete();
  }

  #join(footprint: Footprint, listener: Listener<T>): () => void {
    switch (footprint.type) {
      case 'keys':
        return joinAll(this.#keys, footprint.keys, listener);
      case 'buckets':
        return this.#joinIndex(footprint.index, ({ buckets }) => joinAll(buckets, footprint.values, listener));
      case 'range':
        // To compare with no bounds would cost more than to read again.
        if (footprint.from === undefined && footprint.to === undefined) break;
        return this.#joinIndex(footprint.index, ({ ranges }) => {
          ranges.set(listener, footprint);
          return () => ranges.delete(listener);
        });
      case 'all':
        break;
      default:
        footprint satisfies never;
    }
    this.#everything.add(listener);
    return () => this.#everything.delete(listener);
  }

  #joinIndex(index: string, join: (group: IndexGroup<T>) => () => void): () => void {
    let group = this.#indexes.get(index);
    if (!group) this.#indexes.set(index, (group = { buckets: new Map(), ranges: new Map() }));
    const joined = group;
    const leave = join(joined);
    return () => {
      leave();
      const isEmpty = joined.buckets.size === 0 && joined.ranges.size === 0;
      if (isEmpty && this.#indexes.get(index) === joined) this.#indexes.delete(index);
    };
  }

  #concerned(announcement: Announcement<T>): Map<Listener<T>, readonly string[]> {
    const { previous, commit } = announcement;
    const concerned = new Map<Listener<T>, string[]>();
    if (announcement.isFirst) {
      for (const listener of this.#all) concerned.set(listener, []);
      return concerned;
    }
    const keys = changedKeys(commit);
    for (const listener of this.#everything) concerned.set(listener, keys);
    const concern = (listener: Listener<T>, key: string): void => {
      const noted = concerned.get(listener);
      if (!noted) concerned.set(listener, [key]);
      else if (noted !== keys && noted[noted.length - 1] !== key) noted.push(key);
    };
    const concernAll = (listeners: ReadonlySet<Listener<T>> | undefined, key: string): void => {
      if (listeners) for (const listener of listeners) concern(listener, key);
    };
    for (const key of keys) {
      concernAll(this.#keys.get(key), key);
      for (const [index, { buckets, ranges }] of this.#indexes) {
        for (const snapshot of [previous, commit.snapshot]) {
          forEachIndexValue(snapshot.indexValuesOf(index, key), (value) => {
            concernAll(buckets.get(value), key);
            if (ranges.size === 0) return;
            ranges.forEach((range, listener) => {
              if (isInRange(value, range)) concern(listener, key);
            });
          });
        }
      }
    }
    return concerned;
  }
}

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
   * Returns the deletion of the object that the previous version holds under a key: the first one of
   * the key, because later ones are of objects that came and went within the commit. Computed once
   * for all listeners, when the first of them asks.
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

/** Returns the keys that a commit changed, each once. */
export function changedKeys<T>({ changes }: IndexedCommit<T>): string[] {
  if (changes.length === 1) return [(changes[0] as { readonly key: string }).key];
  return [...new Set(changes.map((change) => change.key))];
}

function isInRange(value: string, { from, to }: IndexRange): boolean {
  return (from === undefined || value >= from) && (to === undefined || value < to);
}

function joinAll<T>(group: Group<T>, names: readonly string[], listener: Listener<T>): () => void {
  for (const name of names) {
    const listeners = group.get(name);
    if (listeners) listeners.add(listener);
    else group.set(name, new Set([listener]));
  }
  return () => {
    for (const name of names) {
      const listeners = group.get(name);
      listeners?.delete(listener);
      if (listeners?.size === 0) group.delete(name);
    }
  };
}
