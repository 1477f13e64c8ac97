import { NotOneIndexValueError } from './errors.js';
import type { KubernetesObject, KeyFunction } from '../kubernetes/object.js';

/**
 * Gives the index values of an object: one string, any number of strings, or none (`undefined`, `[]`).
 *
 * It must be pure: the same object, the same values. One that throws, or gives something that is not a string or an
 * array of strings, is reported as an `IndexFunctionError`; the object stays in the store and in the other indexes.
 */
export type IndexFunction<T> = (object: T) => string | readonly string[] | undefined;

/**
 * Index functions by name, client-go's `Indexers`.
 *
 * The names `I` are inferred where they are written, and checked where they are used. A call with one explicit type argument
 * (`informer<Pod>(…)`) cannot infer them, so with `I = never` there can be no function in it.
 */
export type Indexers<T, I extends string = string> = Readonly<Record<I, IndexFunction<T>>> &
  Readonly<
    Record<
      [I] extends [never] ? string : never,
      'index names are inferred only without type arguments: leave <T> out, or write <T, Names>'
    >
  >;

/** One function for each label, so that two callers of a registry who ask for the same index are seen to do so. */
const byLabel = new Map<string, IndexFunction<KubernetesObject>>();

/**
 * Indexes by the value of one label; objects without that label are in no bucket, those whose label is empty in `''`.
 *
 * **Guarantees**: the same label, the same function.
 *
 * @example
 * informer(client, pods, { indexers: { app: indexByLabel('app') } }).byIndex$('app', 'web')
 */
export function indexByLabel(name: string): IndexFunction<KubernetesObject> {
  let indexFunction = byLabel.get(name);
  if (!indexFunction) byLabel.set(name, (indexFunction = labelIndexFunction(name)));
  return indexFunction;
}

function labelIndexFunction(name: string): IndexFunction<KubernetesObject> {
  return ({ metadata }) => {
    const labels = metadata?.labels;
    return labels && Object.hasOwn(labels, name) ? labels[name] : undefined;
  };
}

/**
 * Indexes by namespace; cluster-scoped objects are in the bucket `''` (S16).
 *
 * @example
 * informer(client, pods, { indexers: { namespace: indexByNamespace } }).byIndex('namespace', 'web')
 */
export function indexByNamespace(object: KubernetesObject): string {
  return object.metadata?.namespace ?? '';
}

/** As much of a pod as tells where it runs. */
export interface NodeBound {
  readonly spec?: { readonly nodeName?: string | undefined } | undefined;
}

/**
 * Indexes pods by the node that they run on; those that are not scheduled yet are in no bucket.
 *
 * @example
 * informer(client, pods, { indexers: { node: indexByNode } }).byIndex$('node', 'worker-1')
 */
export function indexByNode(object: NodeBound): string | undefined {
  return object.spec?.nodeName === '' ? undefined : object.spec?.nodeName;
}

/**
 * Indexes by the uid of every owner: the objects that the garbage collector deletes after it.
 *
 * @example
 * declare const job: Job
 * const owned = informer(client, pods, { indexers: { owner: indexByOwner } })
 * owned.byIndex$('owner', job.metadata.uid)
 */
export function indexByOwner(object: KubernetesObject): readonly string[] {
  return object.metadata?.ownerReferences?.map(({ uid }) => uid) ?? NO_OWNERS;
}

const NO_OWNERS: readonly string[] = Object.freeze([]);

/**
 * Indexes by the uid of the one owner that manages the object (`controller: true`); objects without one are in no bucket.
 *
 * @example
 * declare const replicaSet: ReplicaSet
 * const owned = informer(client, pods, { indexers: { controller: indexByController } })
 * owned.byIndex$('controller', replicaSet.metadata.uid)
 */
export function indexByController(object: KubernetesObject): string | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

/** Where a field is: names joined by dots, or an array of names where one of them has a dot of its own. */
export type FieldPath = string | readonly string[];

/**
 * Indexes by whatever stands at a path.
 *
 * | at the path | index values |
 * | --- | --- |
 * | a string | itself |
 * | a number, a boolean | as text |
 * | an array (also on the way) | those of each of its items |
 * | nothing, `null` | none: the object is in no bucket |
 * | an object | a `TypeError`, reported as `IndexFunctionError` |
 *
 * A plain function says the same with the object's type checked: `(pod) => pod.spec?.serviceAccountName`.
 *
 * **Errors**: a `TypeError` at once for an empty path or an empty name in it.
 *
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
    throw new TypeError(
      `indexByField: ${JSON.stringify(path)} is not a path; write 'spec.nodeName' or ['metadata', 'annotations', 'a.b/c']`,
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
  if (name === undefined) return [textOf(value, names)];
  return typeof value === 'object' && Object.hasOwn(value, name)
    ? valuesAt((value as Readonly<Record<string, unknown>>)[name], names, depth + 1)
    : [];
}

function textOf(value: unknown, names: readonly string[]): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TypeError(`${names.join('.')} is not a string, a number or a boolean; index by a field below it`);
}

/**
 * Makes a key function of an index function that gives exactly one value, such as a unique field.
 *
 * **Errors**: the key function throws `NotOneIndexValueError` where there is no value, or more than one (S17);
 * `toDeltas` reports that as a `KeyError`.
 *
 * @example
 * const byUid = createIndexer(indexFuncToKeyFunc(indexByField('metadata.uid')))
 */
export function indexFuncToKeyFunc<T>(indexFunction: IndexFunction<T>): KeyFunction<T> {
  return (object) => {
    const given = indexFunction(object);
    if (typeof given === 'string') return given;
    const values = given ?? [];
    const [key] = values;
    if (key === undefined || values.length > 1) throw new NotOneIndexValueError(object, values);
    return key;
  };
}
