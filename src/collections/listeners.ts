import type { Footprint } from '../queries/query.js';
import { forEachInSlices, runSlices, type Slices } from '../scheduling/slices.js';
import type { DeletedChange } from '../store/change.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import { forEachIndexValue, NO_VALUES } from '../store/indexing.js';
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

  /**
   * Finds the listeners that a commit concerns, and returns a function that calls them, except
   * those that are removed meanwhile. Those that are added meanwhile start from this commit.
   */
  prepare(announcement: Announcement<T>): () => void {
    const concerned = this.#concerned(announcement);
    return () => {
      for (const [listener, keys] of concerned) if (this.#all.has(listener)) listener.announce(announcement, keys);
    };
  }

  complete(): void {
    for (const listener of this.all) listener.complete();
  }

  #concerned({ previous, commit, isFirst }: Announcement<T>): ReadonlyMap<Listener<T>, readonly string[]> {
    if (!isFirst) return this.#footprints.concerned(previous, commit.snapshot, changedKeys(commit));
    return new Map([...this.#all].map((listener) => [listener, []]));
  }
}

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
    const concern = (dependent: D, key: string): void => {
      const noted = concerned.get(dependent);
      if (!noted) concerned.set(dependent, [key]);
      else if (noted !== keys && noted[noted.length - 1] !== key) noted.push(key);
    };
    const concernAll = (dependents: ReadonlySet<D> | undefined, key: string): void => {
      if (dependents) for (const dependent of dependents) concern(dependent, key);
    };
    for (const key of keys) {
      concernAll(this.#keys.get(key), key);
      if (this.#indexes.size === 0) continue;
      const before = previous.entry(key)?.values;
      const after = current.entry(key)?.values;
      for (const [index, { buckets, ranges }] of this.#indexes) {
        const position = current.parts.schema.position(index);
        // Nearly every update stays in its buckets, so its values are visited only once.
        for (const values of before === after ? [after] : [before, after]) {
          forEachIndexValue(values?.[position] ?? NO_VALUES, (value) => {
            concernAll(buckets.get(value), key);
            if (ranges.size === 0) return;
            ranges.forEach((range, dependent) => {
              if (isInRange(value, range)) concern(dependent, key);
            });
          });
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
  #deletions: Map<string, DeletedChange<T>> | undefined;

  constructor(
    readonly previous: IndexedSnapshot<T>,
    readonly commit: IndexedCommit<T>,
  ) {}

  /** False if no listener can see a difference: a bookmark, a failure, an unchanged list. */
  get hasNews(): boolean {
    return this.commit.changes.length > 0 || this.commit.snapshot.version !== this.previous.version;
  }

  /** True for the first content since the collection was created or emptied. */
  get isFirst(): boolean {
    return this.previous.version === 0 && this.commit.snapshot.version > 0;
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

/** The keys of long commits. They are collected before the announcement. */
const collectedKeys = new WeakMap<object, string[]>();

/**
 * Returns the keys that a commit changed, each once.
 *
 * @param commit the commit
 * @returns the keys in the order of their first change
 */
export function changedKeys<T>(commit: IndexedCommit<T>): string[] {
  return collectedKeys.get(commit) ?? runSlices(keysIn(commit));
}

/** Collects the keys of a long commit in slices, so that its announcement takes less time. */
export function* collectChangedKeys<T>(commit: IndexedCommit<T>): Slices<void> {
  collectedKeys.set(commit, yield* keysIn(commit));
}

function* keysIn<T>({ changes }: IndexedCommit<T>): Slices<string[]> {
  if (changes.length === 1) return [(changes[0] as { readonly key: string }).key];
  const keys = new Set<string>();
  yield* forEachInSlices(changes, ({ key }) => {
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
