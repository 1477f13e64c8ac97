import type { ChangeSet, Change, ChangeReason, DeletedChange } from './change.js';
import { isAnotherIncarnation } from '../kubernetes/object.js';

/**
 * The net effect of change sets that follow each other, as one change set. Pure.
 *
 * | first | then | together |
 * | --- | --- | --- |
 * | added | updated | added, with the newest object |
 * | added | deleted | nothing |
 * | updated | updated | updated, with the oldest `previous` and the newest object |
 * | updated | deleted | deleted |
 * | deleted | added, same uid or none | updated, with what was known first as `previous` |
 * | deleted | added, another uid | deleted, then added |
 * | deleted, then added with another uid | deleted | deleted, with the first object |
 * | updated by a resync | updated | updated |
 *
 * Keys stand in the order of their first change. The reason is the weightiest: `initial`, then `relist`, `watch`,
 * `resync`; so `initial` together with later changes is the state as it is after them.
 *
 * **Guarantees**: applying the result gives what applying the sets one after the other gives; a key appears once, or
 * twice where one object took another one's place.
 * **Does not guarantee**: that the steps between are seen; that `previous` is what a consumer saw last where an object
 * left and came back (it is the state in which it left): compare (`whereChanged`) before merging, not after.
 *
 * @example
 * mergeChangeSets(
 *   { reason: 'watch', changes: [{ type: 'added', key: 'web/a', object: pod }] },
 *   { reason: 'watch', changes: [{ type: 'deleted', key: 'web/a', object: pod, finalStateUnknown: false }] },
 * ) // { reason: 'watch', changes: [] }
 */
export function mergeChangeSets<T>(first: ChangeSet<T>, ...later: readonly ChangeSet<T>[]): ChangeSet<T> {
  const accumulator = new ChangeAccumulator<T>();
  for (const set of [first, ...later]) accumulator.add(set);
  return accumulator.take();
}

/**
 * Adds up change sets, to their net effect for each key; `mergeChangeSets` says how. It is what a slow consumer's
 * pending changes are kept in.
 *
 * **Guarantees**: adding costs O(changes added), whatever is pending; holds at most two objects and one deletion for
 * each pending key, and nothing for a key that came and went.
 */
export class ChangeAccumulator<T> {
  readonly #entries = new Map<string, Entry<T>>();
  #reason: ChangeReason | undefined;
  #only: ChangeSet<T> | undefined;

  /** How many keys have a pending change. */
  get size(): number {
    return this.#entries.size;
  }

  /** False where there is nothing to tell: nothing was added, or what was added has cancelled out. An empty initial state is news. */
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

  /** What is pending, which is then forgotten. A single set without repeated keys is given back as it is. */
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

/** Pending for one key: what the consumer has, and what there is. Not both are absent. */
interface Entry<T> {
  readonly before: { readonly object: T } | undefined;
  readonly after: { readonly object: T } | undefined;
  /** How the object that the consumer has went, if it did. */
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
      const isTheLaterWord = !deletion || !isAnotherIncarnation(before.object, change.object);
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
  if (deletion && isAnotherIncarnation(before.object, object)) return [deletion, { type: 'added', key, object }];
  return [{ type: 'updated', key, object, previous: before.object }];
}

const WEIGHTS: Readonly<Record<ChangeReason, number>> = { initial: 3, relist: 2, watch: 1, resync: 0 };

function weightier(one: ChangeReason, other: ChangeReason): ChangeReason {
  return WEIGHTS[other] > WEIGHTS[one] ? other : one;
}
