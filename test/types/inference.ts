import { expectTypeOf } from 'expect-type';
import {
  createIndexer,
  fetchClient,
  indexByLabel,
  indexByNode,
  indexByOwner,
  informer,
  listWatch,
  pods,
  reduceStore,
  toDeltas,
  type Informer,
  type InformerOptions,
  type InformerRegistry,
  type KubeClient,
  type KubernetesObject,
  type ListWatchOptions,
  type Pod,
  type ResourceInformerOptions,
  type Resource,
  type ResourceSource,
  type Source,
  addEventHandler,
} from 'rx-informers';
import { exponentialBackoff } from 'rx-informers/client';
import { dropManagedFields, type PartialObjectMetadata } from 'rx-informers/resources';
import {
  metaNamespaceKey,
  partitionedKey,
  type Commit,
  type Delta,
  type WatchEvent,
  watchEvent,
  emptySnapshot,
} from 'rx-informers/store';
import { bufferTime, filter, identity, map, type Observable, type SchedulerLike } from 'rxjs';

declare const client: KubeClient;
declare const registry: InformerRegistry;

// A pipe keeps the type of its stream, even if an index function or key function accepts more
// types.
const ready = listWatch(client, pods).pipe(
  toDeltas({ keyOf: metaNamespaceKey }),
  reduceStore({ indexers: { node: indexByNode, app: indexByLabel('app') } }),
);
expectTypeOf(ready).toEqualTypeOf<Observable<Commit<Pod, 'node' | 'app'>>>();
ready.subscribe(({ snapshot }) => snapshot.byIndex('app', 'web')[0]?.spec?.nodeName);
// @ts-expect-error there is no such index
ready.subscribe(({ snapshot }) => snapshot.byIndex('ap', 'web'));
expectTypeOf(listWatch(client, pods).pipe(toDeltas(), reduceStore())).toEqualTypeOf<Observable<Commit<Pod, never>>>();
// @ts-expect-error pods have no such field
listWatch(client, pods).pipe(toDeltas(), reduceStore({ indexers: { node: ({ nodeName }) => typeof nodeName } }));

// An operator keeps the type of the objects, or determines it.
const calm = listWatch(client, pods).through((batches$) =>
  batches$.pipe(
    bufferTime(100),
    map((batches) => batches.flat()),
  ),
);
expectTypeOf(informer(calm)).toEqualTypeOf<Informer<Pod, never>>();
expectTypeOf(listWatch(client, pods).through(filter(() => true))).toEqualTypeOf<ResourceSource<Pod>>();
expectTypeOf(calm.through(map(() => [watchEvent.listed([{ name: 'a' }])]))).toEqualTypeOf<
  ResourceSource<{ name: string }>
>();
// @ts-expect-error the operator does not return watch events
listWatch(client, pods).through(map(() => ['a']));

// Outside of a pipe, the functions determine the type of the objects.
const reduceNodes = reduceStore({ indexers: { node: (pod: Pod) => pod.spec?.nodeName } });
expectTypeOf(reduceNodes).parameter(0).toEqualTypeOf<Observable<readonly Delta<Pod>[]>>();
const keyed = toDeltas({ keyOf: (pod: Pod) => pod.metadata.uid });
expectTypeOf(keyed).parameter(0).toEqualTypeOf<Observable<WatchEvent<Pod> | readonly WatchEvent<Pod>[]>>();

// Either index names are kept, or the call does not compile: a single type argument cannot name the
// indexes.
const source = listWatch(client, pods);
expectTypeOf(informer<Pod>(source)).toEqualTypeOf<Informer<Pod, never>>();
expectTypeOf(informer(source, { indexers: {} })).toEqualTypeOf<Informer<Pod, never>>();
expectTypeOf(informer<Pod, 'node'>(source, { indexers: { node: indexByNode } })).toEqualTypeOf<Informer<Pod, 'node'>>();
expectTypeOf(informer(source, { indexers: { node: indexByNode }, keyOf: partitionedKey() })).toEqualTypeOf<
  Informer<Pod, 'node'>
>();
// @ts-expect-error omit <Pod>, or name the indexes too
informer<Pod>(source, { indexers: { node: indexByNode } });
// @ts-expect-error omit <Pod>, or name the indexes too
registry.informer<Pod>(pods, { indexers: { node: indexByNode } });
// @ts-expect-error omit <Pod>, or name the indexes too
createIndexer<Pod>(metaNamespaceKey, { node: indexByNode });
// @ts-expect-error omit <Pod>, or name the indexes too
emptySnapshot<Pod>({ node: indexByNode });
// @ts-expect-error omit <Pod>, or name the indexes too
reduceStore<Pod>({ indexers: { node: indexByNode } });

// The index names are also kept by options that are declared separately, and by functions that
// forward options.
declare const noIndexes: InformerOptions<Pod, never>;
declare const twoIndexes: InformerOptions<Pod, 'node' | 'app'>;
expectTypeOf(informer(source, noIndexes)).toEqualTypeOf<Informer<Pod, never>>();
expectTypeOf(informer(source, twoIndexes)).toEqualTypeOf<Informer<Pod, 'node' | 'app'>>();
export function passOn<T, I extends string>(of: Source<T>, options: InformerOptions<T, I>): Informer<T, I> {
  return informer(of, options);
}
export function ask<T, I extends string>(
  resource: Resource<T>,
  request: ResourceInformerOptions<T, I>,
): Informer<T, I> {
  return registry.informer(resource, request);
}

// With metadata only, objects have no spec and no status.
const metadata = informer(listWatch(client, pods, { metadataOnly: true }), { indexers: { owner: indexByOwner } });
expectTypeOf(metadata).toEqualTypeOf<Informer<PartialObjectMetadata, 'owner'>>();
expectTypeOf(metadata.get('web/a')?.metadata.creationTimestamp).toEqualTypeOf<string | undefined>();
expectTypeOf<PartialObjectMetadata>().toExtend<KubernetesObject>();
// @ts-expect-error with metadata only, there is no spec
expectTypeOf(metadata.get('web/a')?.spec).toBeAny();
expectTypeOf(registry.informer(pods, { metadataOnly: true, indexers: { app: indexByLabel('app') } })).toEqualTypeOf<
  Informer<PartialObjectMetadata, 'app'>
>();
// @ts-expect-error metadata has no spec to index by
registry.informer(pods, { metadataOnly: true, indexers: { node: ({ spec }) => typeof spec } });
expectTypeOf(registry.informer(pods, { metadataOnly: false })).toEqualTypeOf<Informer<Pod, never>>();
// @ts-expect-error the type of these options is for whole pods
export const wrong: ListWatchOptions<Pod> = { metadataOnly: true };
declare const onlyMetadata: boolean;
listWatch(client, pods, { metadataOnly: onlyMetadata }).subscribe(([event]) => {
  // @ts-expect-error there may be no spec
  if (event?.type === 'ADDED') expectTypeOf(event.object.spec).toBeAny();
});

// The type that the caller declares does not change the actual type.
// @ts-expect-error a pod's spec has no size
export const claimed: Source<{ readonly spec: { readonly size: number } }> = listWatch(client, pods);
// @ts-expect-error a pod's spec has no size
export const requests: Informer<{ readonly spec: { readonly size: number } }, never> = registry.informer(pods);
expectTypeOf(registry.informer(pods).get('web/a')).toEqualTypeOf<Pod | undefined>();

// A transform determines the type of the stored objects.
interface SlimPod {
  readonly metadata: Pod['metadata'];
  readonly node: string | undefined;
}
const slim = (pod: Pod): SlimPod => ({ metadata: pod.metadata, node: pod.spec?.nodeName });
const slimPods = informer(listWatch(client, pods, { transform: slim }), { indexers: { node: ({ node }) => node } });
expectTypeOf(slimPods).toEqualTypeOf<Informer<SlimPod, 'node'>>();
expectTypeOf(registry.informer(pods, { transform: slim, indexers: { node: ({ node }) => node } })).toEqualTypeOf<
  Informer<SlimPod, 'node'>
>();
expectTypeOf(
  informer(listWatch(client, pods, { transform: (pod) => ({ metadata: pod.metadata, phase: pod.status?.phase }) })),
).toEqualTypeOf<Informer<{ metadata: Pod['metadata']; phase: string | undefined }, never>>();
// @ts-expect-error slim pods have no spec
informer(listWatch(client, pods, { transform: slim }), { indexers: { node: ({ spec }) => typeof spec } });
expectTypeOf(informer(listWatch(client, pods, { transform: dropManagedFields }))).toEqualTypeOf<Informer<Pod, never>>();
expectTypeOf(informer(listWatch(client, pods, { transform: identity }))).toEqualTypeOf<Informer<Pod, never>>();
expectTypeOf(
  listWatch(client, pods, { metadataOnly: true, transform: ({ metadata: { name } }) => ({ metadata: { name } }) }),
).toExtend<Source<{ metadata: { name: string } }>>();

// A call without an argument stops all informers. A call with an informer that may be undefined
// does not compile.
declare const found: Informer<Pod> | undefined;
registry.stop();
registry.stop(slimPods);
// @ts-expect-error there may be no such informer
registry.stop(found);

// An option that may be undefined can be passed as it is, even with exactOptionalPropertyTypes.
declare const settings: { readonly linger: number | undefined; readonly scheduler: SchedulerLike | undefined };
informer(source, settings);
listWatch(client, pods, settings);
createIndexer((pod: Pod) => pod.metadata.uid, {}, settings);
exponentialBackoff({ initial: settings.linger });
fetchClient({ baseUrl: undefined, scheduler: settings.scheduler });
addEventHandler(slimPods, { onAdd: undefined, onDelete: () => undefined }, { resyncPeriod: settings.linger });
void slimPods.whenSynced({ signal: undefined });
