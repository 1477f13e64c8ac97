import { expectTypeOf } from 'expect-type';
import type { ReactElement } from 'react';
import {
  bucket,
  bucketSize,
  indexByNode,
  matching,
  nodes,
  objectByKey,
  pods,
  type Collection,
  type Indexer,
  type Informer,
  type InformerRegistry,
  type Node,
  type PartialObjectMetadata,
  type Pod,
  type SourceStatus,
} from 'rx-informers';
import {
  InformersProvider,
  useByIndex,
  useChanges,
  useErrors,
  useHasSynced,
  useIndexValues,
  useInformer,
  useList,
  useObject,
  useQuery,
  useStatus,
  useSynced,
  useWindow,
} from 'rx-informers/react';
import type { View } from 'rx-informers/views';

declare const registry: InformerRegistry;
declare const podInformer: Informer<Pod, 'node' | 'phase'>;
declare const podIndexer: Indexer<Pod, 'node'>;
declare const podCollection: Collection<Pod, 'node'>;

// T comes from the resource, the index names from the options.
expectTypeOf(useInformer(nodes)).toEqualTypeOf<Informer<Node, never>>();
expectTypeOf(useInformer(pods, { indexers: { node: indexByNode } })).toEqualTypeOf<Informer<Pod, 'node'>>();
expectTypeOf(useInformer(pods, { metadataOnly: true })).toEqualTypeOf<Informer<PartialObjectMetadata, never>>();
expectTypeOf(useObject(useInformer(pods), 'a')).toEqualTypeOf<Pod | undefined>();
// @ts-expect-error leave <Pod> out, or name the indexes too
useInformer<Pod>(pods, { indexers: { node: indexByNode } });

// Every hook takes whatever can be followed, and gives what is in it.
for (const all of [podInformer, podIndexer, podCollection]) {
  expectTypeOf(useByIndex(all, 'node', 'n1')).toEqualTypeOf<readonly Pod[]>();
  expectTypeOf(useObject(all, 'a')).toEqualTypeOf<Pod | undefined>();
  expectTypeOf(useList(all, 'app=web')).toEqualTypeOf<readonly Pod[]>();
  expectTypeOf(useIndexValues(all, 'node')).toEqualTypeOf<readonly string[]>();
  expectTypeOf(useHasSynced(all)).toEqualTypeOf<boolean>();
  useSynced(all);
  expectTypeOf(useWindow(all, { index: ['node', 'n1'], where: ({ metadata }) => metadata.name !== '' })).toEqualTypeOf<
    View<Pod>
  >();
  useChanges(all, ({ changes }) => changes.map(({ object }) => object.spec), { index: ['node', 'n1'] });
  expectTypeOf(useQuery(all, bucket('node', 'n1'))).toEqualTypeOf<readonly Pod[]>();
  expectTypeOf(useQuery(all, objectByKey('a'))).toEqualTypeOf<Pod | undefined>();
  expectTypeOf(useQuery(all, bucketSize('node', 'n1'))).toEqualTypeOf<number>();
  expectTypeOf(
    useQuery(
      all,
      matching((pod) => pod.status?.phase === 'Failed'),
    ),
  ).toEqualTypeOf<readonly Pod[]>();
  // @ts-expect-error there is no such index
  useQuery(all, bucket('nodde', 'n1'));
  // @ts-expect-error there is no such index
  useByIndex(all, 'nodde', 'n1');
  // @ts-expect-error there is no such index
  useIndexValues(all, 'nodde');
  // @ts-expect-error there is no such index
  useWindow(all, { index: ['nodde', 'n1'] });
  // @ts-expect-error there is no such index
  useChanges(all, () => undefined, { index: ['nodde', 'n1'] });
}

expectTypeOf(useStatus(podInformer)).toEqualTypeOf<SourceStatus>();
useErrors(podInformer, (error) => error.message);
expectTypeOf(useStatus(podIndexer)).toEqualTypeOf<SourceStatus>();

expectTypeOf(InformersProvider).returns.toEqualTypeOf<ReactElement>();
export const page = (
  <InformersProvider registry={registry} linger={1000}>
    <p />
  </InformersProvider>
);
// @ts-expect-error a client is no registry
export const wrong = <InformersProvider registry={{ exchange: () => undefined }} />;
