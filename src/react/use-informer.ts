import { useContext, useState } from 'react';
import { unstableRequestError } from '../collections/errors.js';
import type { ResourceInformerOptions } from '../informer/informer-options.js';
import { createdAgain, type InformerRequest, isAlike } from '../informer/informer-registry.js';
import type { Informer } from '../informer/source-informer.js';
import { RxInformersError } from '../kubernetes/errors.js';
import type { Resource } from '../kubernetes/resource.js';
import type { ReceivedObject, WithoutTransform } from '../sources/list-watch-options.js';
import { InformersContext } from './informers-provider.js';

/**
 * Returns the informer for a request from the registry of the surrounding `InformersProvider`. All
 * components with the same request share the informer and its watch. If the requests have different
 * indexes, the informer has all of these indexes.
 *
 * This hook does not start the informer; the hooks that read the informer start it.
 *
 * Options that are plain data (a namespace, selectors, numbers) may be written in the call, and are
 * compared by value. If options contain functions (indexes, a transform), define them once, outside
 * of the component, as a constant or with `defineRequest`.
 *
 * @param request if it is `undefined`, the result is `undefined`, which all hooks accept
 * @returns the shared informer
 * @throws while rendering: `RXI_NO_PROVIDER` if there is no registry; `RXI_UNSTABLE_REQUEST` in the
 *   second render if each render creates the functions of the options again; `RXI_INDEXER_CONFLICT`
 *   if one name stands for two index functions; `RXI_INVALID_SELECTOR` or `RXI_INVALID_OPTION` for
 *   invalid selectors or options
 * @example
 * const podsByNode = defineRequest(pods, { indexers: { node: indexByNode } });
 * function PodsOf({ node }: { node: string }) {
 *   return `${useByIndex(useInformer(podsByNode), 'node', node).length} pods`;
 * }
 */
export function useInformer<R, I extends string>(request: InformerRequest<R, I>): Informer<R, I>;
export function useInformer<R, I extends string>(
  request: InformerRequest<R, I> | undefined,
): Informer<R, I> | undefined;
export function useInformer<T, I extends string = never, MetadataOnly extends boolean = false>(
  resource: Resource<T>,
  options?: ResourceInformerOptions<T, I, MetadataOnly> & WithoutTransform,
): Informer<ReceivedObject<T, MetadataOnly>, I>;
export function useInformer<
  T,
  I extends string = never,
  MetadataOnly extends boolean = false,
  R = ReceivedObject<T, MetadataOnly>,
>(resource: Resource<T>, options: ResourceInformerOptions<T, I, MetadataOnly, R> | undefined): Informer<R, I>;
export function useInformer<
  T,
  I extends string = never,
  MetadataOnly extends boolean = false,
  R = ReceivedObject<T, MetadataOnly>,
>(
  resource: Resource<T> | undefined,
  options?: ResourceInformerOptions<T, I, MetadataOnly, R>,
): Informer<R, I> | undefined;
export function useInformer(
  requested: InformerRequest<unknown> | Resource<unknown> | undefined,
  options: ResourceInformerOptions<unknown, string, boolean, unknown> = {},
): Informer<unknown> | undefined {
  const { registry } = useContext(InformersContext);
  const [first] = useState(options);
  if (requested === undefined) return undefined;
  const { plural } = 'resource' in requested ? requested.resource : requested;
  if (!registry) {
    throw new RxInformersError(
      'RXI_NO_PROVIDER',
      `useInformer(${plural}): no registry is provided; render the component inside <InformersProvider registry={informerRegistry(client)}>`,
      { resource: plural },
    );
  }
  if ('resource' in requested) return requested.from(registry);
  const unstable = createdAgain({ ...first }, { ...options }, isAlike);
  if (unstable.length > 0) throw unstableRequestError(plural, unstable);
  return registry.informer(requested, options);
}
