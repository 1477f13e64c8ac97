import type { V1Pod } from '@kubernetes/client-node';
import { expectTypeOf } from 'expect-type';
import {
  createIndexer,
  filterUpdates,
  generationChanged,
  indexByLabel,
  indexByNamespace,
  type KubernetesObject,
  type Pod,
} from 'rx-informers';
import { isTerminating, ownerReferenceTo } from 'rx-informers/controller';
import * as derived from 'rx-informers/derived';
import type { ResourceClient } from 'rx-informers/requests';
import type {
  ObjectMeta,
  AnyKubernetesObject,
  ManagedFieldsEntry,
  PartialObjectMetadata,
} from 'rx-informers/resources';
import { changed, indexByController, metaNamespaceKey, partitionedKey, type UpdatedChange } from 'rx-informers/store';

// Users read timestamps as strings, as the API server sends them.
expectTypeOf<ObjectMeta['creationTimestamp']>().toEqualTypeOf<string | undefined>();
expectTypeOf<ObjectMeta['deletionTimestamp']>().toEqualTypeOf<string | undefined>();
expectTypeOf<ObjectMeta['deletionGracePeriodSeconds']>().toEqualTypeOf<number | undefined>();
expectTypeOf<ObjectMeta['generateName']>().toEqualTypeOf<string | undefined>();
expectTypeOf<ObjectMeta['managedFields']>().toEqualTypeOf<readonly ManagedFieldsEntry[] | undefined>();
expectTypeOf<ManagedFieldsEntry['time']>().toEqualTypeOf<string | undefined>();
expectTypeOf<PartialObjectMetadata['metadata']['deletionTimestamp']>().toEqualTypeOf<string | undefined>();

// Every built-in kind and every kind that extends `KubernetesObject` has these fields.
interface Website extends KubernetesObject {
  readonly spec: { readonly replicas: number };
}
declare const website: Website;
expectTypeOf(website.metadata?.creationTimestamp).toEqualTypeOf<string | undefined>();
expectTypeOf<Pod>().toExtend<KubernetesObject>();

// client-node's classes have dates. Every function accepts them.
expectTypeOf<V1Pod>().not.toExtend<KubernetesObject>();
expectTypeOf<V1Pod>().toExtend<AnyKubernetesObject>();
declare const podOfClientNode: V1Pod;
declare const update: UpdatedChange<V1Pod>;
const collection = createIndexer<V1Pod, 'app' | 'namespace' | 'controller'>(metaNamespaceKey, {
  app: indexByLabel('app'),
  namespace: indexByNamespace,
  controller: indexByController,
});
createIndexer<V1Pod>(partitionedKey());
createIndexer<V1Pod>(metaNamespaceKey);
expectTypeOf(createIndexer(metaNamespaceKey).list()).toEqualTypeOf<readonly KubernetesObject[]>();
metaNamespaceKey(podOfClientNode);
metaNamespaceKey(website);
collection.get('web/a')?.metadata?.creationTimestamp?.getTime();
collection.changes$.pipe(filterUpdates(changed((pod) => pod.metadata?.labels)));
generationChanged(update);
derived.selectorJoin(collection, collection, { selector: () => 'app=web', within: 'namespace' });
expectTypeOf(isTerminating(podOfClientNode)).toEqualTypeOf<boolean>();
ownerReferenceTo(podOfClientNode);
expectTypeOf<V1Pod>().toExtend<Exclude<Parameters<ResourceClient<V1Pod>['get']>[0], string>>();
