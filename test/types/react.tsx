import { expectTypeOf } from 'expect-type';
import type { ReactElement } from 'react';
import {
  bucket,
  defineRequest,
  indexByNode,
  matching,
  nodes,
  objectByKey,
  pods,
  type Collection,
  type Indexer,
  type Informer,
  type InformerRegistry,
  type InformerRequest,
  type KubernetesNode,
  type Pod,
  type SourceStatus,
} from 'rx-informers';
import * as derived from 'rx-informers/derived';
import {
  InformersProvider,
  useByIndex,
  useChanges,
  useDerived,
  useErrors,
  useHasSynced,
  useIndexValues,
  useInformer,
  useList,
  useObject,
  useQuery,
  useStatus,
  useSuspenseQuery,
  useSynced,
  useWindow,
} from 'rx-informers/react';
import type { PartialObjectMetadata } from 'rx-informers/resources';
import { bucketSize, countMatching } from 'rx-informers/store';
import type { View } from 'rx-informers/views';

declare const isOpen: boolean;
declare const registry: InformerRegistry;
declare const podInformer: Informer<Pod, 'node' | 'phase'>;
declare const podIndexer: Indexer<Pod, 'node'>;
declare const podCollection: Collection<Pod, 'node'>;

// The resource determines T, and the options determine the index names.
expectTypeOf(useInformer(nodes)).toEqualTypeOf<Informer<KubernetesNode, never>>();
const podsByNode = defineRequest(pods, { indexers: { node: indexByNode } });
expectTypeOf(podsByNode).toEqualTypeOf<InformerRequest<Pod, 'node'>>();
expectTypeOf(useInformer(podsByNode)).toEqualTypeOf<Informer<Pod, 'node'>>();
expectTypeOf(useInformer(isOpen ? podsByNode : undefined)).toEqualTypeOf<Informer<Pod, 'node'> | undefined>();
expectTypeOf(useInformer(isOpen ? nodes : undefined)).toEqualTypeOf<Informer<KubernetesNode, never> | undefined>();
expectTypeOf(useInformer(pods, { namespace: 'web' })).toEqualTypeOf<Informer<Pod, never>>();
expectTypeOf(useInformer(defineRequest(pods, { transform: ({ metadata }) => metadata.name }))).toEqualTypeOf<
  Informer<string, never>
>();
expectTypeOf(useInformer(pods, { metadataOnly: true })).toEqualTypeOf<Informer<PartialObjectMetadata, never>>();
expectTypeOf(useObject(useInformer(pods), 'a')).toEqualTypeOf<Pod | undefined>();
const byNode = { indexers: { node: indexByNode } };
expectTypeOf(useInformer(pods, byNode)).toEqualTypeOf<Informer<Pod, 'node'>>();
const named = { transform: ({ metadata }: Pod) => metadata.name };
expectTypeOf(useInformer(pods, named)).toEqualTypeOf<Informer<string, never>>();

interface Counts {
  readonly pods: number;
}
const perNode = (all: Collection<Pod, 'node'>) => derived.groupBy(all, 'node', { pods: derived.count() });

// Every hook accepts every collection, and returns its content.
for (const all of [podInformer, podIndexer, podCollection]) {
  expectTypeOf(useByIndex(all, 'node', 'n1')).toEqualTypeOf<readonly Pod[]>();
  expectTypeOf(useObject(all, 'a')).toEqualTypeOf<Pod | undefined>();
  expectTypeOf(useList(all, 'app=web')).toEqualTypeOf<readonly Pod[]>();
  expectTypeOf(useIndexValues(all, 'node')).toEqualTypeOf<readonly string[]>();
  expectTypeOf(useHasSynced(all)).toEqualTypeOf<boolean>();
  useSynced(all, podInformer, undefined);
  expectTypeOf(useSuspenseQuery(all, bucket('node', 'n1'))).toEqualTypeOf<readonly Pod[]>();
  expectTypeOf(useQuery(isOpen ? all : undefined, bucketSize('node', 'n1'))).toEqualTypeOf<number>();
  expectTypeOf(useQuery(all, isOpen ? bucketSize('node', 'n1') : undefined)).toEqualTypeOf<number | undefined>();
  expectTypeOf(useQuery(all, countMatching('app=web'))).toEqualTypeOf<number>();
  expectTypeOf(useByIndex(all, 'node', isOpen ? 'n1' : undefined)).toEqualTypeOf<readonly Pod[]>();
  expectTypeOf(useDerived(perNode, all)).toEqualTypeOf<
    derived.DerivedCollection<{ readonly group: string } & Counts, never>
  >();
  expectTypeOf(useDerived(perNode, isOpen ? all : undefined)).toEqualTypeOf<
    derived.DerivedCollection<{ readonly group: string } & Counts, never> | undefined
  >();
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
// @ts-expect-error a client is not a registry
export const wrong = <InformersProvider registry={{ exchange: () => undefined }} />;
