import type { Resource } from '../kubernetes/resource.js';
import type { KubeClient } from '../sources/client/kube-client.js';
import type { ReceivedObject, WithoutTransform } from '../sources/list-watch-options.js';
import { listWatch } from '../sources/list-watch.js';
import type { Source } from '../sources/model/source.js';
import type { InformerOptions, ResourceInformerOptions } from './informer-options.js';
import { type Informer, informerOver } from './source-informer.js';

/**
 * Creates an informer over a source.
 *
 * Nothing happens before the first subscriber.
 *
 * **Guarantees**: G1–G11; one subscription to the source for any number of subscribers.
 * **Errors**: `errors$` emits them; data streams never error. If a key function fails, the source
 * lists again. If an index function fails, it is called again. Both are repeated with growing waits
 * until they succeed (G4).
 *
 * @param source the events, for example of {@link listWatch} or {@link mergeSources}
 * @param options the indexes, and how objects are kept; see {@link InformerOptions}
 * @returns an informer that is stopped
 * @throws `RXI_INVALID_OPTION` if `linger` is longer than a timer supports
 * @example
 * const sources = {
 *   web: listWatch(client, pods, { namespace: 'web' }),
 *   db: listWatch(client, pods, { namespace: 'db' }),
 * };
 * const everyPod = informer(mergeSources(sources), { keyOf: partitionedKey() });
 */
export function informer<T, I extends string = never>(
  source: Source<T>,
  options?: InformerOptions<T, I>,
): Informer<T, I>;

/**
 * Creates an informer over `listWatch(client, resource, options)`, with the guarantees of an
 * informer over any source.
 *
 * @param client the connection; also the default of `scheduler` and `random`
 * @param resource the resource to read, such as `pods`
 * @param options the options of {@link listWatch} and of an informer; see
 *   {@link ResourceInformerOptions}
 * @returns an informer that is stopped
 * @throws `RXI_INVALID_OPTION` if `linger` is longer than a timer supports, and errors of
 *   `listWatch`
 * @example
 * const podInformer = informer(client, pods, {
 *   namespace: 'web',
 *   indexers: { node: indexByNode, app: indexByLabel('app') },
 * });
 * podInformer.byIndex$('node', 'worker-1').subscribe((onNode) => console.log(onNode.length));
 */
export function informer<T, I extends string = never, MetadataOnly extends boolean = false>(
  client: KubeClient,
  resource: Resource<T>,
  options?: ResourceInformerOptions<T, I, MetadataOnly> & WithoutTransform,
): Informer<ReceivedObject<T, MetadataOnly>, I>;

export function informer<
  T,
  I extends string = never,
  MetadataOnly extends boolean = false,
  R = ReceivedObject<T, MetadataOnly>,
>(
  client: KubeClient,
  resource: Resource<T>,
  options: ResourceInformerOptions<T, I, MetadataOnly, R> | undefined,
): Informer<R, I>;

export function informer(
  from: Source<unknown> | KubeClient,
  optionsOrResource: InformerOptions<unknown, string> | Resource<unknown> | undefined,
  options: ResourceInformerOptions<unknown, string, boolean, unknown> = {},
): Informer<unknown> {
  if ('subscribe' in Object(from))
    return informerOver(from as Source<unknown>, (optionsOrResource ?? {}) as InformerOptions<unknown, string>);
  return informerOver(listWatch(from as KubeClient, optionsOrResource as Resource<unknown>, options), options);
}
