import { isAnotherIncarnation, type KubernetesObject } from '../kubernetes/object.js';
import type { SourceError } from '../sources/model/errors.js';
import type { StoreError } from './errors.js';
import type { Snapshot } from './snapshot.js';

/** What happened to one object in one commit. Objects are shared and never change. */
export type Change<T> = AddedChange<T> | UpdatedChange<T> | DeletedChange<T>;

/** An object is in the collection now and was not before. */
export interface AddedChange<T> {
  readonly type: 'added';
  readonly key: string;
  readonly object: T;
}

/** An object has another version than before. */
export interface UpdatedChange<T> {
  readonly type: 'updated';
  readonly key: string;
  readonly object: T;
  readonly previous: T;
}

/** An object is not in the collection any more. */
export interface DeletedChange<T> {
  readonly type: 'deleted';
  readonly key: string;
  /**
   * The final state as the server sent it. If `finalStateUnknown` is true, it is the last known
   * state.
   */
  readonly object: T;
  /**
   * True for a tombstone: the deletion was inferred from a relist or from a new uid, not reported
   * by the watch.
   */
  readonly finalStateUnknown: boolean;
}

/**
 * The reason for a change set: the first content (for a late subscriber, the current state), the
 * watch, a later list, or a resync.
 */
export type ChangeReason = 'initial' | 'watch' | 'relist' | 'resync';

/** The changes of one commit, in order. A key may occur more than once. */
export interface ChangeSet<T> {
  readonly reason: ChangeReason;
  readonly changes: readonly Change<T>[];
}

/** The result of one batch: the new version of the store, the changes, and the errors. */
export interface Commit<T, I extends string = string> extends ChangeSet<T> {
  readonly snapshot: Snapshot<T, I>;
  readonly errors: readonly (SourceError | StoreError)[];
}

/** Returns true if an update should be emitted. Additions and deletions are always emitted. */
export type UpdatePredicate<T> = (update: UpdatedChange<T>) => boolean;

/**
 * Returns a predicate that is true if `project` returns different values for the old and the new
 * object.
 *
 * @param project returns a primitive value, or a part of the object, which keeps its identity while
 *   it does not change
 * @param isEqual compares two projected values; default `Object.is`
 * @returns a predicate for `filterUpdates`
 * @example
 * informer.changes$.pipe(
 *   filterUpdates(
 *     anyOf(
 *       generationChanged,
 *       changed((pod) => pod.status?.phase),
 *     ),
 *   ),
 * );
 */
export function changed<T, P>(
  project: (object: T) => P,
  isEqual: (previous: P, next: P) => boolean = Object.is,
): UpdatePredicate<T> {
  return ({ previous, object }) => !isEqual(project(previous), project(object));
}

/**
 * Returns true if `metadata.generation` changed: the spec was changed. Returns false for kinds
 * without a generation (ConfigMap, Node, …).
 *
 * @param change the update
 * @returns true if the update should be emitted
 */
export function generationChanged<T extends KubernetesObject>({ previous, object }: UpdatedChange<T>): boolean {
  return previous.metadata?.generation !== object.metadata?.generation;
}

/**
 * Returns true if `metadata.resourceVersion` changed, which is the case for every update except a
 * resync.
 *
 * @param change the update
 * @returns true if the update should be emitted
 */
export function resourceVersionChanged<T extends KubernetesObject>({ previous, object }: UpdatedChange<T>): boolean {
  return previous.metadata?.resourceVersion !== object.metadata?.resourceVersion;
}

/**
 * Returns true if a label was added, removed, or has another value. An object without the field
 * `labels` equals an object with empty labels.
 *
 * @param change the update
 * @returns true if the update should be emitted
 */
export function labelsChanged<T extends KubernetesObject>({ previous, object }: UpdatedChange<T>): boolean {
  return !isSameRecord(previous.metadata?.labels, object.metadata?.labels);
}

/**
 * Returns true if an annotation was added, removed, or has another value.
 *
 * @param change the update
 * @returns true if the update should be emitted
 */
export function annotationsChanged<T extends KubernetesObject>({ previous, object }: UpdatedChange<T>): boolean {
  return !isSameRecord(previous.metadata?.annotations, object.metadata?.annotations);
}

/**
 * Returns true if a finalizer was added or removed, or if their order changed.
 *
 * @param change the update
 * @returns true if the update should be emitted
 */
export function finalizersChanged<T extends KubernetesObject>({ previous, object }: UpdatedChange<T>): boolean {
  const before = previous.metadata?.finalizers ?? [];
  const after = object.metadata?.finalizers ?? [];
  return before.length !== after.length || before.some((finalizer, position) => finalizer !== after[position]);
}

/**
 * Returns a predicate that returns true if all of `predicates` return true. They are called in
 * order, up to the first that returns false.
 *
 * @param predicates any number; without any, the result is true for every update
 * @returns a predicate for `filterUpdates`
 */
export function allOf<T>(...predicates: readonly UpdatePredicate<T>[]): UpdatePredicate<T> {
  return (update) => predicates.every((predicate) => predicate(update));
}

/**
 * Returns a predicate that returns true if at least one of `predicates` returns true. They are
 * called in order, up to the first that returns true.
 *
 * @param predicates any number; without any, the result is false for every update
 * @returns a predicate for `filterUpdates`
 */
export function anyOf<T>(...predicates: readonly UpdatePredicate<T>[]): UpdatePredicate<T> {
  return (update) => predicates.some((predicate) => predicate(update));
}

/**
 * Returns a predicate that returns true if none of `predicates` returns true. With one predicate,
 * the result is the negation of this predicate: `noneOf(labelsChanged)`.
 *
 * @param predicates any number; without any, the result is true for every update
 * @returns a predicate for `filterUpdates`
 */
export function noneOf<T>(...predicates: readonly UpdatePredicate<T>[]): UpdatePredicate<T> {
  return (update) => !predicates.some((predicate) => predicate(update));
}

type StringRecord = Readonly<Record<string, string>>;

function isSameRecord(before: StringRecord = {}, after: StringRecord = {}): boolean {
  if (before === after) return true;
  const names = Object.keys(before);
  return names.length === Object.keys(after).length && names.every((name) => before[name] === after[name]);
}

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
 * Use `whereChanged` before merging, not after.
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
 * Merges change sets to their net effect for each key, by the table of `mergeChangeSets`. It holds
 * the pending changes of a slow consumer.
 *
 * **Guarantees**: adding costs O(changes added), regardless of what is pending; holds at most two
 * objects and one deletion for each pending key, and nothing for a key that was added and deleted.
 */
export class ChangeAccumulator<T> {
  readonly #entries = new Map<string, Entry<T>>();
  #reason: ChangeReason | undefined;
  #only: ChangeSet<T> | undefined;

  /** The number of keys with a pending change. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * False if there is nothing to emit, because no change was added or all changes have cancelled
   * out. An empty initial state is emitted.
   */
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

  /**
   * Returns the pending changes as one set, and clears them. A single set without repeated keys is
   * returned unchanged.
   */
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

/**
 * The pending change of one key: the object that the consumer has, and the current one. At least
 * one of them exists.
 */
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
