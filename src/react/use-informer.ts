import { useContext } from 'react';
import type { ResourceInformerOptions } from '../informer/informer-options.js';
import type { Informer } from '../informer/informer.js';
import type { Resource } from '../kubernetes/resource.js';
import type { Received, WithoutTransform } from '../sources/list-watch.js';
import { InformersContext } from './informers-provider.js';

/**
 * Returns the informer for a resource from the registry of the `InformersProvider` around; all components share it, and its watch.
 *
 * It is not started by this; the hooks that show its content start it. Options are compared by value with each render, functions and
 * Observables by identity: define these outside of components, index functions too. Different indexes are added up.
 *
 * **Errors**, all thrown while rendering: an `Error` where there is no registry; `IndexerConflictError` if one name stands for two index
 * functions, as with a function that is written in a component; `UnstableRequestError` for a `transform` that is written in a component;
 * `InvalidSelectorError`.
 *
 * @example
 * const byNode = { indexers: { node: indexByNode } };
 * function PodsOf({ node }: { node: string }) {
 *   return `${useByIndex(useInformer(pods, byNode), 'node', node).length} pods`;
 * }
 */
export function useInformer<T, I extends string = never, MetadataOnly extends boolean = false>(
  resource: Resource<T>,
  request?: ResourceInformerOptions<T, I, MetadataOnly> & WithoutTransform,
): Informer<Received<T, MetadataOnly>, I>;
export function useInformer<
  T,
  I extends string = never,
  MetadataOnly extends boolean = false,
  R = Received<T, MetadataOnly>,
>(resource: Resource<T>, request: ResourceInformerOptions<T, I, MetadataOnly, R> | undefined): Informer<R, I>;
export function useInformer<T, I extends string, MetadataOnly extends boolean, R>(
  resource: Resource<T>,
  request: ResourceInformerOptions<T, I, MetadataOnly, R> = {},
): Informer<R, I> {
  const { registry } = useContext(InformersContext);
  if (!registry) {
    throw new Error(
      `useInformer(${resource.plural}): there is no registry here; render it inside <InformersProvider registry={informerRegistry(client)}>`,
    );
  }
  return registry.informer(resource, request);
}
