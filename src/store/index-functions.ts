import { invalidOptionError } from '../kubernetes/errors.js';
import type { AnyKubernetesObject } from '../kubernetes/object.js';

/**
 * Returns the index values of an object: a string, several, or none (`undefined`, `[]`).
 *
 * It must be pure. If it throws, or returns anything else, an `RXI_INDEX_FUNCTION` is reported, and
 * the object stays in the store and in the other indexes.
 */
export type IndexFunction<T> = (object: T) => string | readonly string[] | undefined;

/**
 * Names index functions: client-go's `Indexers`. The names `I` are inferred from the object
 * literal, and checked where an index is used. With an explicit type argument (`informer<Pod>(…)`)
 * `I` is `never`, and passing an index function does not compile.
 */
export type Indexers<T, I extends string = string> = Readonly<Record<I, IndexFunction<T>>> &
  Readonly<
    Record<
      [I] extends [never] ? string : never,
      'index names are inferred only without type arguments: leave <T> out, or write <T, Names>'
    >
  >;

/** One function for each label, so that a registry recognises equal indexes. */
const byLabel = new Map<string, IndexFunction<AnyKubernetesObject>>();

/**
 * Returns an index function for the value of one label. Objects without that label are in no
 * bucket. Objects with an empty value are in the bucket `''`.
 *
 * **Guarantees**: always returns the same function for a label.
 *
 * @param name the label's key, for example `app.kubernetes.io/name`
 * @returns an index function
 * @example
 * informer(client, pods, { indexers: { app: indexByLabel('app') } }).byIndex$('app', 'web')
 */
export function indexByLabel(name: string): IndexFunction<AnyKubernetesObject> {
  let indexFunction = byLabel.get(name);
  if (!indexFunction) byLabel.set(name, (indexFunction = labelIndexFunction(name)));
  return indexFunction;
}

function labelIndexFunction(name: string): IndexFunction<AnyKubernetesObject> {
  return ({ metadata }) => {
    const labels = metadata?.labels;
    return labels && Object.hasOwn(labels, name) ? labels[name] : undefined;
  };
}

/**
 * Indexes by namespace; cluster-scoped objects are in the bucket `''` (S16).
 *
 * @param object any object
 * @returns its namespace
 * @example
 * informer(client, pods, { indexers: { namespace: indexByNamespace } }).byIndex('namespace', 'web')
 */
export function indexByNamespace(object: AnyKubernetesObject): string {
  return object.metadata?.namespace ?? '';
}

/** The part of a pod that contains its node. */
export interface NodeBound {
  readonly spec?: { readonly nodeName?: string | undefined } | undefined;
}

/**
 * Indexes pods by the node that they run on. Pods that are not scheduled yet are in no bucket.
 *
 * @param object a pod, or any object with `spec.nodeName`
 * @returns the name of the node
 * @example
 * informer(client, pods, { indexers: { node: indexByNode } }).byIndex$('node', 'worker-1')
 */
export function indexByNode(object: NodeBound): string | undefined {
  return object.spec?.nodeName === '' ? undefined : object.spec?.nodeName;
}

/**
 * Indexes by the uid of every owner. A bucket contains the dependents of that owner. The garbage
 * collector deletes a dependent when all of its owners are gone.
 *
 * @param object any object
 * @returns a uid for each owner
 * @example
 * declare const job: Job
 * const owned = informer(client, pods, { indexers: { owner: indexByOwner } })
 * owned.byIndex$('owner', job.metadata.uid)
 */
export function indexByOwner(object: AnyKubernetesObject): readonly string[] {
  return object.metadata?.ownerReferences?.map(({ uid }) => uid) ?? NO_OWNERS;
}

const NO_OWNERS: readonly string[] = Object.freeze([]);

/**
 * Indexes by the uid of the one owner that manages the object (`controller: true`); objects without
 * such an owner are in no bucket.
 *
 * @param object any object
 * @returns the uid of the controller
 * @example
 * declare const replicaSet: ReplicaSet
 * const owned = informer(client, pods, { indexers: { controller: indexByController } })
 * owned.byIndex$('controller', replicaSet.metadata.uid)
 */
export function indexByController(object: AnyKubernetesObject): string | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

/** The path of a field: names joined by dots, or an array of names if a name contains a dot. */
export type FieldPath = string | readonly string[];

/**
 * Returns an index function for the value at a path.
 *
 * | at the path | index values |
 * | --- | --- |
 * | a string | the string |
 * | a number, a boolean | as text |
 * | an array (also within the path) | the values of all items |
 * | nothing, `null` | none: the object is in no bucket |
 * | an object | a `TypeError`, reported as `RXI_INDEX_FUNCTION` |
 *
 * A function of your own does the same with type checks: `(pod) => pod.spec?.serviceAccountName`.
 *
 * **Errors**: `RXI_INVALID_OPTION` at once for an empty path or an empty name in it.
 *
 * @param path the names of the fields, from the outside in, or a text with dots between them
 * @returns an index function
 * @throws `RXI_INVALID_OPTION` for an empty path, or an empty name in it
 * @example
 * const indexers = {
 *   phase: indexByField('status.phase'),
 *   image: indexByField('spec.containers.image'),
 *   team: indexByField(['metadata', 'annotations', 'example.com/team']),
 * }
 */
export function indexByField(path: FieldPath): IndexFunction<unknown> {
  const names = typeof path === 'string' ? path.split('.') : [...path];
  if (names.length === 0 || names.includes('')) {
    throw invalidOptionError(
      'the path of indexByField',
      path,
      "of the form 'spec.nodeName' or ['metadata', 'annotations', 'a.b/c']",
    );
  }
  return (object) => {
    const values = valuesAt(object, names, 0);
    return values.length > 1 ? [...new Set(values)] : values;
  };
}

function valuesAt(value: unknown, names: readonly string[], depth: number): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, names, depth));
  const name = names[depth];
  if (name === undefined) return [keyText(value, names)];
  return typeof value === 'object' && Object.hasOwn(value, name)
    ? valuesAt((value as Readonly<Record<string, unknown>>)[name], names, depth + 1)
    : [];
}

function keyText(value: unknown, names: readonly string[]): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TypeError(`${names.join('.')} is not a string, a number or a boolean; index by a field below it`);
}
