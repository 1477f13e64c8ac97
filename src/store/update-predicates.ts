import { type AnyKubernetesObject } from '../kubernetes/object.js';
import { type UpdatedChange } from './change.js';

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
export function generationChanged<T extends AnyKubernetesObject>({ previous, object }: UpdatedChange<T>): boolean {
  return previous.metadata?.generation !== object.metadata?.generation;
}

/**
 * Returns true if `metadata.resourceVersion` changed, which is the case for every update except a
 * resync, and content that the server shows at an unchanged version (a new default of a CRD).
 *
 * @param change the update
 * @returns true if the update should be emitted
 */
export function resourceVersionChanged<T extends AnyKubernetesObject>({ previous, object }: UpdatedChange<T>): boolean {
  return previous.metadata?.resourceVersion !== object.metadata?.resourceVersion;
}

/**
 * Returns true if a label was added, removed, or has another value. An object without the field
 * `labels` equals an object with empty labels.
 *
 * @param change the update
 * @returns true if the update should be emitted
 */
export function labelsChanged<T extends AnyKubernetesObject>({ previous, object }: UpdatedChange<T>): boolean {
  return !isSameRecord(previous.metadata?.labels, object.metadata?.labels);
}

/**
 * Returns true if an annotation was added, removed, or has another value.
 *
 * @param change the update
 * @returns true if the update should be emitted
 */
export function annotationsChanged<T extends AnyKubernetesObject>({ previous, object }: UpdatedChange<T>): boolean {
  return !isSameRecord(previous.metadata?.annotations, object.metadata?.annotations);
}

/**
 * Returns true if a finalizer was added or removed, or if their order changed.
 *
 * @param change the update
 * @returns true if the update should be emitted
 */
export function finalizersChanged<T extends AnyKubernetesObject>({ previous, object }: UpdatedChange<T>): boolean {
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
