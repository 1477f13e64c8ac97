import { useContext } from 'react';
import type { RegistryRequest } from '../informer/informer-registry.js';
import type { Informer } from '../informer/informer.js';
import type { Resource } from '../kubernetes/resource.js';
import type { Received, WithoutTransform } from '../sources/list-watch.js';
import { IndexerConflictError } from '../store/store-error.js';
import { InformersContext } from './informers-context.js';

/**
 * The informer for a resource, from the registry of the `InformersProvider` around: whoever asks for the same shares it, and its watch.
 *
 * Asking does not start it; the hooks that show what it has do. Functions and Observables among the options, functions of indexes too, must be the
 * same each time: define them outside of the component. Of everything else, what it says counts. Different indexes are added up.
 *
 * **Errors**, all thrown while rendering: where there is no registry; where one name stands for two index functions (the `cause` is an
 * `IndexerConflictError`); `UnstableRequestError` where a `transform` or another function is written in a component; `InvalidSelectorError`.
 *
 * @example
 * const byNode = { indexers: { node: indexByNode } };
 * function PodsOf({ node }: { node: string }) {
 *   return `${useByIndex(useInformer(pods, byNode), 'node', node).length} pods`;
 * }
 */
export function useInformer<T, I extends string = never, MetadataOnly extends boolean = false>(
  resource: Resource<T>,
  request?: RegistryRequest<T, I, MetadataOnly> & WithoutTransform,
): Informer<Received<T, MetadataOnly>, I>;
export function useInformer<
  T,
  I extends string = never,
  MetadataOnly extends boolean = false,
  R = Received<T, MetadataOnly>,
>(resource: Resource<T>, request: RegistryRequest<T, I, MetadataOnly, R> | undefined): Informer<R, I>;
export function useInformer<T, I extends string, MetadataOnly extends boolean, R>(
  resource: Resource<T>,
  request: RegistryRequest<T, I, MetadataOnly, R> = {},
): Informer<R, I> {
  const { registry } = useContext(InformersContext);
  if (!registry) {
    throw new Error(
      `useInformer(${resource.plural}): there is no registry here; render it inside <InformersProvider registry={informerRegistry(client)}>`,
    );
  }
  try {
    return registry.informer(resource, request);
  } catch (error) {
    if (error instanceof IndexerConflictError) throw new Error(explain(resource.plural, error), { cause: error });
    throw error;
  }
}

function explain(plural: string, { conflicts }: IndexerConflictError): string {
  return (
    `useInformer(${plural}): these indexes have another function already: ${conflicts.join(', ')}; ` +
    'a function that is written in a component is another one with each render: define it outside of components'
  );
}
