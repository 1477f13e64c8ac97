import { isSameIncarnation } from '../kubernetes/object.js';
import { type Change, type ChangeReason, type ChangeSet, type DeletedChange } from './change.js';

/**
 * Returns the net effect of change sets that follow each other, as one change set. Pure.
 *
 * | first | then | together |
 * | --- | --- | --- |
 * | added | updated | added, with the newest object |
 * | added | deleted | nothing |
 * | updated | updated | updated, with the oldest `previous` and the newest object |
 * | updated | deleted | deleted |
 * | deleted | added, same uid or none | updated, with the oldest known object as `previous` |
 * | deleted | added, another uid | deleted, then added |
 * | deleted, then added with another uid | deleted | deleted, with the first object |
 * | updated by a resync | updated | updated |
 *
 * Keys are in the order of their first change. The reason is the most significant one: `initial`,
 * then `relist`, `watch`, `resync`. So `initial` merged with later changes is the state after them.
 *
 * **Guarantees**: applying the result has the same effect as applying the sets one after the other.
 * A key occurs once, or twice if one object replaced another.
 * **Does not guarantee**: that intermediate states are seen. If an object was deleted and added
 * again, `previous` is the state before the deletion, which the consumer may not have seen last.
 * Use `filterUpdates` before merging, not after.
 *
 * @param first the earliest change set
 * @param later the change sets that follow it, in their order
 * @returns one change set with the net effect
 * @example
 * mergeChangeSets(
 *   { reason: 'watch', changes: [{ type: 'added', key: 'web/a', object: pod }] },
 *   {
 *     reason: 'watch',
 *     changes: [{ type: 'deleted', key: 'web/a', object: pod, finalStateUnknown: false }],
 *   },
 * ); // { reason: 'watch', changes: [] }
 */
export function mergeChangeSets<T>(first: ChangeSet<T>, ...later: readonly ChangeSet<T>[]): ChangeSet<T> {
  const accumulator = new ChangeAccumulator<T>();
  for (const set of [first, ...later]) accumulator.add(set);
  return accumulator.take();
}

/**
 * Merges the changes that a slow consumer has not received, by the table of `mergeChangeSets`.
 *
 * **Guarantees**: adding costs O(changes added), regardless of what is pending; holds at most two
 * objects and one deletion for each pending key, and nothing for a key added and deleted.
 */
export class ChangeAccumulator<T> {
  readonly #entries = new Map<string, Entry<T>>();
  #reason: ChangeReason | undefined;
  #only: ChangeSet<T> | undefined;

  /** The number of keys with a pending change. */
  get size(): number {
    return this.#entries.size;
  }

  /** False if all changes have cancelled out. An empty initial state is emitted. */
  get hasNews(): boolean {
    return this.#entries.size > 0 || this.#reason === 'initial';
  }

  add(set: ChangeSet<T>): void {
    this.#only = this.#reason === undefined ? set : undefined;
    this.#reason = this.#reason === undefined ? set.reason : weightier(this.#reason, set.reason);
    for (const change of set.changes) {
      const entry = follow(this.#entries.get(change.key), change);
      if (entry) this.#entries.set(change.key, entry);
      else this.#entries.delete(change.key);
    }
  }

  /**
   * Does the same as `take`, but returns `undefined` if there is nothing to emit. Changes that have
   * cancelled out are cleared too, so that a later set does not get their reason.
   */
  takeNews(): ChangeSet<T> | undefined {
    const { hasNews } = this;
    const set = this.take();
    return hasNews ? set : undefined;
  }

  /** Returns and clears the pending changes; a single set without repeated keys unchanged. */
  take(): ChangeSet<T> {
    const only = this.#only?.changes.length === this.#entries.size ? this.#only : undefined;
    const set = only ?? {
      reason: this.#reason ?? 'watch',
      changes: [...this.#entries].flatMap(([key, entry]) => netChanges(key, entry)),
    };
    this.#entries.clear();
    this.#reason = undefined;
    this.#only = undefined;
    return set;
  }
}

/** The consumer's object and the current one. At least one of them exists. */
interface Entry<T> {
  readonly before: { readonly object: T } | undefined;
  readonly after: { readonly object: T } | undefined;
  /** The deletion of the object that the consumer has, if it was deleted. */
  readonly deletion: DeletedChange<T> | undefined;
}

function follow<T>(entry: Entry<T> | undefined, change: Change<T>): Entry<T> | undefined {
  const { before, deletion } = entry ?? start(change);
  switch (change.type) {
    case 'added':
    case 'updated':
      return { before, after: { object: change.object }, deletion };
    case 'deleted': {
      if (!before) return undefined;
      const isTheLaterWord = !deletion || isSameIncarnation(before.object, change.object) !== false;
      return { before, after: undefined, deletion: isTheLaterWord ? change : deletion };
    }
  }
}

function start<T>(change: Change<T>): Entry<T> {
  switch (change.type) {
    case 'added':
      return { before: undefined, after: undefined, deletion: undefined };
    case 'updated':
      return { before: { object: change.previous }, after: undefined, deletion: undefined };
    case 'deleted':
      return { before: { object: change.object }, after: undefined, deletion: undefined };
  }
}

function netChanges<T>(key: string, { before, after, deletion }: Entry<T>): readonly Change<T>[] {
  if (!after) return deletion ? [deletion] : [];
  const { object } = after;
  if (!before) return [{ type: 'added', key, object }];
  if (deletion && isSameIncarnation(before.object, object) === false) return [deletion, { type: 'added', key, object }];
  return [{ type: 'updated', key, object, previous: before.object }];
}

const WEIGHTS: Readonly<Record<ChangeReason, number>> = { initial: 3, relist: 2, watch: 1, resync: 0 };

function weightier(one: ChangeReason, other: ChangeReason): ChangeReason {
  return WEIGHTS[other] > WEIGHTS[one] ? other : one;
}
