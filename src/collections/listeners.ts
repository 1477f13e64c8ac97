import type { Footprint } from '../queries/query.js';
import { forEachInSlices, runSlices, type Slices } from '../scheduling/slices.js';
import type { ChangeSet, DeletedChange } from '../store/change.js';
import { NO_VALUES } from '../store/index-values.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { IndexRange } from '../store/snapshot.js';
import type { IndexedCommit } from '../store/stages.js';

/** A subscriber of a collection. It is called for the commits that touch its footprint. */
export interface Listener<T> {
  /**
   * @param keys the changed keys that touch the footprint, each once. Empty for the first content,
   * because all of it is new.
   */
  announce(announcement: Announcement<T>, keys: readonly string[]): void;
  complete(): void;
}

/**
 * The listeners of a collection. The first content is announced to all of them, even if it is empty
 * for a listener. A later commit is announced only to the listeners whose footprint it touches.
 */
export class Listeners<T> {
  readonly #all = new Set<Listener<T>>();
  readonly #footprints = new Footprints<T, Listener<T>>();

  /** A copy of the current listeners, in the order in which they were added. */
  get all(): readonly Listener<T>[] {
    return [...this.#all];
  }

  /** Removes all listeners and returns them. */
  detach(): readonly Listener<T>[] {
    const { all } = this;
    this.#all.clear();
    this.#footprints.clear();
    return all;
  }

  /** Adds a listener, called once for each commit, and returns the function that removes it. */
  add(footprint: Footprint, listener: Listener<T>): () => void {
    const leave = this.#footprints.add(footprint, listener);
    this.#all.add(listener);
    return () => {
      this.#all.delete(listener);
      leave();
    };
  }

  has(listener: Listener<T>): boolean {
    return this.#all.has(listener);
  }

  /**
   * Returns the listeners that a commit concerns. They are found before any is called: one that is
   * added in a callback starts from this commit.
   */
  concerned(announcement: Announcement<T>): Concerned<T> {
    const { previous, commit, isFirst } = announcement;
    if (isFirst) return new Map([...this.#all].map((listener) => [listener, []]));
    return this.#footprints.concerned(previous, commit.snapshot, announcement.keys);
  }

  complete(): void {
    for (const listener of this.all) listener.complete();
  }
}

/** Listeners, each with the changed keys that touch its footprint. */
export type Concerned<T> = ReadonlyMap<Listener<T>, readonly string[]>;

type Group<D> = Map<string, Set<D>>;

/** The dependents of one index. */
interface IndexGroup<D> {
  readonly buckets: Group<D>;
  readonly ranges: Map<D, IndexRange>;
}

/**
 * Finds the dependents whose footprint a change touches, by keys: the number of dependents costs
 * nothing (G10), except that ranges are compared with each index value of a changed object.
 */
export class Footprints<T, D> {
  readonly #everything = new Set<D>();
  readonly #keys: Group<D> = new Map();
  readonly #indexes = new Map<string, IndexGroup<D>>();

  clear(): void {
    this.#everything.clear();
    this.#keys.clear();
    this.#indexes.clear();
  }

  /** Adds a dependent and returns the function that removes it. */
  add(footprint: Footprint, dependent: D): () => void {
    switch (footprint.type) {
      case 'keys':
        return joinAll(this.#keys, footprint.keys, dependent);
      case 'buckets':
        return this.#joinIndex(footprint.index, ({ buckets }) => joinAll(buckets, footprint.values, dependent));
      case 'range':
        // An unbounded range is `all`: comparing would cost more than reading again.
        if (footprint.from === undefined && footprint.to === undefined) break;
        return this.#joinIndex(footprint.index, ({ ranges }) => {
          ranges.set(dependent, footprint);
          return () => ranges.delete(dependent);
        });
      case 'all':
        break;
      default:
        footprint satisfies never;
    }
    this.#everything.add(dependent);
    return () => this.#everything.delete(dependent);
  }

  /** Returns the dependents that changes of `keys` concern, each with the keys that touch it. */
  concerned(
    previous: IndexedSnapshot<T>,
    current: IndexedSnapshot<T>,
    keys: string[],
  ): ReadonlyMap<D, readonly string[]> {
    const concerned = new Map<D, string[]>();
    for (const dependent of this.#everything) concerned.set(dependent, keys);
    const concern = (dependents: Iterable<D> | undefined, key: string): void => {
      for (const dependent of dependents ?? []) {
        const noted = concerned.get(dependent);
        if (!noted) concerned.set(dependent, [key]);
        else if (noted !== keys && noted[noted.length - 1] !== key) noted.push(key);
      }
    };
    for (const key of keys) {
      concern(this.#keys.get(key), key);
      if (this.#indexes.size === 0) continue;
      const before = previous.entry(key)?.values;
      const after = current.entry(key)?.values;
      for (const [index, { buckets, ranges }] of this.#indexes) {
        const position = current.parts.schema.position(index);
        // Nearly every update stays in its buckets, so its values are visited only once.
        for (const entry of before === after ? [after] : [before, after]) {
          const values = entry?.[position] ?? NO_VALUES;
          for (const value of typeof values === 'string' ? [values] : values) {
            concern(buckets.get(value), key);
            for (const [dependent, range] of ranges) if (isInRange(value, range)) concern([dependent], key);
          }
        }
      }
    }
    return concerned;
  }

  #joinIndex(index: string, join: (group: IndexGroup<D>) => () => void): () => void {
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
}

/** One commit, and the version that was announced before it. */
export class Announcement<T> {
  /** False if no listener can see a difference: a bookmark, a failure, an unchanged list. */
  readonly hasNews: boolean;
  /** True for the first content since the collection was created or emptied. */
  readonly isFirst: boolean;
  #keys: string[] | undefined;
  #deletions: Map<string, DeletedChange<T>> | undefined;

  /** @param keys the keys that the commit changed, if they were collected before */
  constructor(
    readonly previous: IndexedSnapshot<T>,
    readonly commit: IndexedCommit<T>,
    keys?: string[],
  ) {
    this.hasNews = commit.changes.length > 0 || commit.snapshot.version !== previous.version;
    this.isFirst = previous.version === 0 && commit.snapshot.version > 0;
    this.#keys = keys;
  }

  /** The keys that the commit changed, each once, in the order of their first change. */
  get keys(): string[] {
    return (this.#keys ??= keysOfCommit(this.commit));
  }

  /**
   * Returns the first deletion of a key: that of the previous version's object, because later ones
   * are of objects of this commit. It is computed at the first call.
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

/**
 * Returns the keys that a commit changed, each once, in the order of their first change.
 *
 * @param commit the commit, or its changes
 * @returns the keys
 */
export function keysOfCommit(commit: ChangeSet<unknown>): string[] {
  const { changes } = commit;
  const [first] = changes;
  return first !== undefined && changes.length === 1 ? [first.key] : runSlices(changedKeysInSlices(commit));
}

/**
 * Does the same in slices, so that the announcement of a long commit takes less time.
 *
 * @param commit the commit, or its changes
 * @returns the keys
 */
export function* changedKeysInSlices(commit: ChangeSet<unknown>): Slices<string[]> {
  const keys = new Set<string>();
  yield* forEachInSlices(commit.changes, ({ key }) => {
    keys.add(key);
  });
  return [...keys];
}

function isInRange(value: string, { from, to }: IndexRange): boolean {
  return (from === undefined || value >= from) && (to === undefined || value < to);
}

function joinAll<D>(group: Group<D>, names: readonly string[], dependent: D): () => void {
  for (const name of names) {
    const dependents = group.get(name);
    if (dependents) dependents.add(dependent);
    else group.set(name, new Set([dependent]));
  }
  return () => {
    for (const name of names) {
      const dependents = group.get(name);
      dependents?.delete(dependent);
      if (dependents?.size === 0) group.delete(name);
    }
  };
}
