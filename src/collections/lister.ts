import type { KubernetesObject } from '../kubernetes/object.js';
import {
  matchesLabelSelector,
  selectsEverything,
  selectsNothing,
  type CheckedSelector,
  type LabelSelector,
} from '../kubernetes/selector.js';
import type { Reads, Snapshot } from '../store/snapshot.js';
import { ObjectNotFoundError } from './errors.js';

/**
 * Reads objects by selector and by name: client-go's listers. Each call reads the version that is
 * current at that moment.
 */
export interface Lister<T> {
  /**
   * Returns the objects that a selector matches, in key order; without a selector, all of them
   * (S16).
   *
   * @throws InvalidSelectorError for a malformed selector
   */
  list<S extends LabelSelector>(selector?: CheckedSelector<S>): readonly T[];
  /**
   * Returns the object under a key.
   *
   * @throws ObjectNotFoundError if there is no such object
   */
  get(key: string): T;
  /**
   * Returns a lister for one namespace, in which `get` takes a name. `''` means all namespaces for
   * `list`, and the cluster scope for `get`.
   */
  namespaced(namespace: string): Lister<T>;
}

/** Options of `lister`. */
export interface ListerOptions {
  /**
   * The resource for the message of `ObjectNotFoundError`, for example `pods`. Default `object`.
   */
  readonly resource?: string | undefined;
  /**
   * The name of the index by namespace. Default `namespace`. If the collection has this index, a
   * namespaced list reads only the objects of the namespace; otherwise it scans the whole store.
   */
  readonly namespaceIndex?: string | undefined;
}

/**
 * Creates a lister over an informer, an indexer or a snapshot.
 *
 * The namespaced form expects keys as `metaNamespaceKey` computes them.
 *
 * @param collection the collection or snapshot to read
 * @param options the resource that errors name, and the index by namespace
 * @returns a lister that reads the current content with each call
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

/**
 * Returns the objects that a selector matches (S16). For a selector that matches nothing, no object
 * is read. For a selector that matches everything, no label is read.
 */
function select<T extends KubernetesObject>(
  objects: () => readonly T[],
  selector: LabelSelector | undefined,
): readonly T[] {
  if (selector === undefined || selectsEverything(selector)) return objects();
  if (selectsNothing(selector)) return [];
  const matches = matchesLabelSelector(selector);
  return objects().filter((object) => matches(object.metadata?.labels));
}
