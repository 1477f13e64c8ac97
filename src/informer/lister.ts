import type { KubernetesObject } from '../kubernetes/object.js';
import { matchesLabelSelector, selectsEverything, selectsNothing, type LabelSelector } from '../kubernetes/selector.js';
import type { Reads, Snapshot } from '../store/snapshot.js';
import { ObjectNotFoundError } from './errors.js';

/** Reads by selector and by name, client-go's listers. Each call answers from the version that is current then. */
export interface Lister<T> {
  /** The objects that the selector matches, in key order; all of them without one (S16). */
  list(selector?: LabelSelector): readonly T[];
  /** Throws `ObjectNotFoundError` where there is no such object. */
  get(key: string): T;
  /** The same within one namespace, by name; `''` is all namespaces for `list`, and the cluster scope for `get`. */
  namespaced(namespace: string): Lister<T>;
}

/** Options of `lister`. */
export interface ListerOptions {
  /** What is not found, for the message of `ObjectNotFoundError` (default `object`), for example `pods`. */
  readonly resource?: string | undefined;
  /**
   * The index by namespace (default `namespace`). Where the collection has an index of that name, a namespaced list costs what the
   * namespace holds; without it, the whole store is scanned.
   */
  readonly namespaceIndex?: string | undefined;
}

/**
 * Makes a lister over the reads of an informer, an indexer or a snapshot.
 *
 * The namespaced form expects keys of `metaNamespaceKey`'s form for `get`.
 *
 * @example
 * const webPods = lister(podInformer, { resource: 'pods' }).namespaced('web');
 * webPods.list('app=shop,tier!=cache');
 */
export function lister<T extends KubernetesObject, I extends string>(
  collection: Reads<T, I> | { readonly snapshot: Snapshot<T, I> },
  options: ListerOptions = {},
): Lister<T> {
  const { resource = 'object', namespaceIndex = 'namespace' } = options;
  const reads = (): Reads<T> => ('snapshot' in collection ? collection.snapshot : collection);
  const get = (key: string): T => {
    const object = reads().get(key);
    if (object === undefined) throw new ObjectNotFoundError(resource, key);
    return object;
  };
  const inNamespace = (namespace: string): readonly T[] => {
    if (namespace === '') return reads().list();
    if (Object.hasOwn(reads().indexers, namespaceIndex)) return reads().byIndex(namespaceIndex, namespace);
    return reads()
      .list()
      .filter((object) => object.metadata?.namespace === namespace);
  };
  const namespaced = (namespace: string): Lister<T> => ({
    list: (selector) => select(() => inNamespace(namespace), selector),
    get: (name) => get(namespace === '' ? name : `${namespace}/${name}`),
    namespaced,
  });
  return { ...namespaced(''), get };
}

/** S16: a selector of nothing looks at no object, one of everything at no label. */
function select<T extends KubernetesObject>(
  objects: () => readonly T[],
  selector: LabelSelector | undefined,
): readonly T[] {
  if (selector === undefined || selectsEverything(selector)) return objects();
  if (selectsNothing(selector)) return [];
  const matches = matchesLabelSelector(selector);
  return objects().filter((object) => matches(object.metadata?.labels));
}
