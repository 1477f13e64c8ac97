import { forEachIndexValue } from '../store/indexing.js';
import type { IndexedCommit } from '../store/stages.js';
import type { Announcement } from './announcement.js';

/** Somebody who wants to hear of commits: all of them, or those that touch a key or a bucket. */
export interface Listener<T> {
  /**
   * @param keys the changed keys that concern this listener, each once; for a listener to everything, all of them; of the first content none,
   * because it is all new
   */
  announce(announcement: Announcement<T>, keys: readonly string[]): void;
  complete(): void;
}

type Group<T> = Map<string, Set<Listener<T>>>;

/**
 * Who has to hear of a commit: found from its keys, so that the cost follows the change and not the number of listeners (G10).
 *
 * The first content is announced to everybody, because it is also the news that there is content.
 */
export class Listeners<T> {
  readonly #all = new Set<Listener<T>>();
  readonly #everything = new Set<Listener<T>>();
  readonly #keys: Group<T> = new Map();
  readonly #buckets = new Map<string, Group<T>>();

  /** All who listen now, in the order in which they came; later arrivals and departures do not change it. */
  get all(): readonly Listener<T>[] {
    return [...this.#all];
  }

  /** Removes all listeners and returns them: what comes from now on is for those who come later. */
  detach(): readonly Listener<T>[] {
    const { all } = this;
    this.#all.clear();
    this.#everything.clear();
    this.#keys.clear();
    this.#buckets.clear();
    return all;
  }

  addToEverything(listener: Listener<T>): () => void {
    this.#everything.add(listener);
    return this.#enter(listener, () => this.#everything.delete(listener));
  }

  addToKey(key: string, listener: Listener<T>): () => void {
    return this.#enter(listener, join(this.#keys, key, listener));
  }

  /** One listener to any number of buckets of one index, none included, hears of a commit once. */
  addToBuckets(index: string, values: readonly string[], listener: Listener<T>): () => void {
    let buckets = this.#buckets.get(index);
    if (!buckets) this.#buckets.set(index, (buckets = new Map<string, Set<Listener<T>>>()));
    const joined = buckets;
    const leave = values.map((value) => join(joined, value, listener));
    return this.#enter(listener, () => {
      leave.forEach((remove) => remove());
      if (joined.size === 0 && this.#buckets.get(index) === joined) this.#buckets.delete(index);
    });
  }

  /** Whoever joins while this runs has started from this very commit, and is not told of it again. */
  announce(announcement: Announcement<T>): void {
    for (const [listener, keys] of this.#concerned(announcement)) listener.announce(announcement, keys);
  }

  complete(): void {
    for (const listener of this.all) listener.complete();
  }

  #enter(listener: Listener<T>, leave: () => void): () => void {
    this.#all.add(listener);
    return () => {
      this.#all.delete(listener);
      leave();
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
    const concern = (listeners: ReadonlySet<Listener<T>> | undefined, key: string): void => {
      listeners?.forEach((listener) => {
        const noted = concerned.get(listener);
        if (!noted) concerned.set(listener, [key]);
        else if (noted !== keys && noted[noted.length - 1] !== key) noted.push(key);
      });
    };
    for (const key of keys) {
      concern(this.#keys.get(key), key);
      for (const [index, buckets] of this.#buckets) {
        for (const snapshot of [previous, commit.snapshot]) {
          forEachIndexValue(snapshot.indexValuesOf(index, key), (value) => {
            concern(buckets.get(value), key);
          });
        }
      }
    }
    return concerned;
  }
}

function changedKeys<T>(commit: IndexedCommit<T>): string[] {
  const { changes } = commit;
  if (changes.length === 1) return [(changes[0] as { readonly key: string }).key];
  return [...new Set(changes.map((change) => change.key))];
}

function join<T>(group: Group<T>, name: string, listener: Listener<T>): () => void {
  let listeners = group.get(name);
  if (!listeners) group.set(name, (listeners = new Set()));
  const joined = listeners;
  joined.add(listener);
  return () => {
    joined.delete(listener);
    if (joined.size === 0 && group.get(name) === joined) group.delete(name);
  };
}
