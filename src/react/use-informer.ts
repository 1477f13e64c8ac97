import { useContext } from 'react';
import type { RegistryRequest } from '../informer/informer-registry.js';
import type { Informer } from '../informer/informer.js';
import type { Resource } from '../kubernetes/resource.js';
import { InformersContext } from './informers-context.js';

/**
 * The informer for a resource, from the registry of the `InformersProvider` around: whoever asks for the same shares it, and its watch.
 *
 * Asking does not start it; the hooks that show what it has do. Functions among the options, those of indexes too, must be the same each time:
 * define them outside of the component. Different indexes are added up.
 *
 * **Errors**, all thrown while rendering: where there is no registry; `IndexerConflictError` where one name stands for two index functions.
 *
 * @example
 * const byNode = { indexers: { node: indexByNode } };
 * function PodsOf({ node }: { node: string }) {
 *   return `${useByIndex(useInformer(pods, byNode), 'node', node).length} pods`;
 * }
 */
export function useInformer<T, I extends string = never>(
  resource: Resource<T>,
  request?: RegistryRequest<T, I>,
): Informer<T, I> {
  const { registry } = useContext(InformersContext);
  if (registry) return registry.informer(resource, request);
  throw new Error(
    `useInformer(${resource.plural}): there is no registry here; render it inside <InformersProvider registry={informerRegistry(client)}>`,
  );
}
