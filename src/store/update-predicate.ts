import type { KubernetesObject } from '../kubernetes/object.js';
import type { UpdatedChange } from './change.js';

/** Says whether an update matters; additions and deletions always do. */
export type UpdatePredicate<T> = (update: UpdatedChange<T>) => boolean;

/**
 * True where `project` gives something else for the new object than for the old one.
 *
 * @param isEqual how two projections are compared (default `Object.is`); `project` should give a primitive value, or a
 * part of the object, which keeps its identity while it does not change
 * @example
 * informer.changes$.pipe(filterUpdates(anyOf(generationChanged, changed((pod) => pod.status?.phase))))
 */
export function changed<T, P>(
  project: (object: T) => P,
  isEqual: (previous: P, next: P) => boolean = Object.is,
): UpdatePredicate<T> {
  return ({ previous, object }) => !isEqual(project(previous), project(object));
}

/** True where `metadata.generation` changed: somebody changed the spec. Kinds without a generation (Pod, ConfigMap, …) never pass. */
export function generationChanged<T extends KubernetesObject>({ previous, object }: UpdatedChange<T>): boolean {
  return previous.metadata?.generation !== object.metadata?.generation;
}

/** True where `metadata.resourceVersion` changed, which is every change but a resync. */
export function resourceVersionChanged<T extends KubernetesObject>({ previous, object }: UpdatedChange<T>): boolean {
  return previous.metadata?.resourceVersion !== object.metadata?.resourceVersion;
}

/** True where a label was added, removed, or has another value; compared by content, so that no labels and empty labels are the same. */
export function labelsChanged<T extends KubernetesObject>({ previous, object }: UpdatedChange<T>): boolean {
  return !isSameRecord(previous.metadata?.labels, object.metadata?.labels);
}

/** True where an annotation was added, removed, or has another value; compared by content. */
export function annotationsChanged<T extends KubernetesObject>({ previous, object }: UpdatedChange<T>): boolean {
  return !isSameRecord(previous.metadata?.annotations, object.metadata?.annotations);
}

/** True where a finalizer was added or removed, or their order changed; compared by content. */
export function finalizersChanged<T extends KubernetesObject>({ previous, object }: UpdatedChange<T>): boolean {
  const before = previous.metadata?.finalizers ?? [];
  const after = object.metadata?.finalizers ?? [];
  return before.length !== after.length || before.some((finalizer, position) => finalizer !== after[position]);
}

/** True where every one of the predicates is; they are asked in order, until one says no. */
export function allOf<T>(...predicates: readonly UpdatePredicate<T>[]): UpdatePredicate<T> {
  return (update) => predicates.every((predicate) => predicate(update));
}

/** True where at least one of the predicates is; they are asked in order, until one says yes. */
export function anyOf<T>(...predicates: readonly UpdatePredicate<T>[]): UpdatePredicate<T> {
  return (update) => predicates.some((predicate) => predicate(update));
}

/** True where none of the predicates is: `noneOf(labelsChanged)` is its negation. */
export function noneOf<T>(...predicates: readonly UpdatePredicate<T>[]): UpdatePredicate<T> {
  return (update) => !predicates.some((predicate) => predicate(update));
}

type StringRecord = Readonly<Record<string, string>>;

function isSameRecord(before: StringRecord = {}, after: StringRecord = {}): boolean {
  if (before === after) return true;
  const names = Object.keys(before);
  return names.length === Object.keys(after).length && names.every((name) => before[name] === after[name]);
}
