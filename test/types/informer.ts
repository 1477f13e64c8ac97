import { expectTypeOf } from 'expect-type';
import {
  allObjects,
  bucket,
  createIndexer,
  fromEvents,
  informer,
  listWatch,
  matching,
  objectByKey,
  pods,
  reduceStore,
  resource,
  toDeltas,
  type ChangeSet,
  type Collection,
  type Indexer,
  type Informer,
  type InformerOptions,
  type KubeClient,
  type KubernetesObject,
  type Pod,
  type Query,
  type Resource,
  type Service,
  type Snapshot,
} from 'rx-informers';
import type { ObjectFromServer, JsonForm } from 'rx-informers/resources';
import {
  bucketPrefix,
  bucketRange,
  buckets,
  bucketSize,
  collectionSize,
  indexValues,
  select,
  type Commit,
  watchEvent,
  emptySnapshot,
} from 'rx-informers/store';
import type { Observable } from 'rxjs';

const { listed } = watchEvent;

declare const client: KubeClient;

// The resource determines T, and the options determine the index names.
const podInformer = informer(listWatch(client, pods), {
  indexers: { node: (pod) => pod.spec?.nodeName, phase: (pod) => pod.status?.phase },
});
expectTypeOf(podInformer).toEqualTypeOf<Informer<Pod, 'node' | 'phase'>>();
expectTypeOf(podInformer.byIndex$('node', 'n1')).toEqualTypeOf<Observable<readonly Pod[]>>();
expectTypeOf(podInformer.byIndex('node', 'n1')).toEqualTypeOf<readonly Pod[]>();
expectTypeOf(podInformer.get$('a')).toEqualTypeOf<Observable<Pod | undefined>>();
expectTypeOf(podInformer.changes$).toEqualTypeOf<Observable<ChangeSet<Pod>>>();
expectTypeOf(podInformer.snapshot).toEqualTypeOf<Snapshot<Pod, 'node' | 'phase'>>();
expectTypeOf(podInformer.snapshot$).toEqualTypeOf<Observable<Snapshot<Pod, 'node' | 'phase'>>>();
expectTypeOf(podInformer.indexers).toHaveProperty('phase');

// A misspelt index name does not compile in any method.
// @ts-expect-error there is no such index
podInformer.byIndex$('nodde', 'n1');
// @ts-expect-error there is no such index
podInformer.byIndexChanges$('nodde', 'n1');
// @ts-expect-error there is no such index
podInformer.indexValues$('nodde');
// @ts-expect-error there is no such index
podInformer.byIndex('nodde', 'n1');
// @ts-expect-error there is no such index
podInformer.indexKeys('nodde', 'n1');
// @ts-expect-error there is no such index
podInformer.snapshot.byIndex('nodde', 'n1');
// @ts-expect-error without indexers there is no index at all
informer(listWatch(client, pods)).byIndex$('node', 'n1');

// select$ infers the type of its value and knows the index names.
expectTypeOf(podInformer.select$(({ size }) => size)).toEqualTypeOf<Observable<number>>();
expectTypeOf(
  podInformer.select$(
    (read) => ({ pods: read.byIndex('node', 'n1') }),
    (a, b) => a.pods === b.pods,
  ),
).toEqualTypeOf<Observable<{ readonly pods: readonly Pod[] }>>();
expectTypeOf(podInformer.select$((read) => [read.size, read.byIndex('node', 'n1')])).toEqualTypeOf<
  Observable<readonly [number, readonly Pod[]]>
>();
expectTypeOf(podInformer.select$((read): string | number => read.size)).toEqualTypeOf<Observable<string | number>>();
// @ts-expect-error there is no such index
podInformer.select$((read) => read.byIndex('nodde', 'n1'));
podInformer.select$(
  // @ts-expect-error isEqual compares two values of the function
  ({ size }) => size,
  (a: string, b: string) => a === b,
);

// addIndexers adds index names and keeps the existing ones.
const wider = podInformer.addIndexers({ team: (pod) => pod.metadata.labels?.['team'] });
expectTypeOf(wider).toEqualTypeOf<Informer<Pod, 'node' | 'phase' | 'team'>>();
wider.byIndex$('team', 'red');
wider.byIndex$('node', 'n1');
// @ts-expect-error the narrower view does not know the new index
podInformer.byIndex$('team', 'red');

// Options are read-only, and their values have precise types.
declare const options: InformerOptions<Pod, 'node'>;
// @ts-expect-error options are readonly
options.linger = 5;
// @ts-expect-error an index value is a string
informer(listWatch(client, pods), { indexers: { node: () => 7 } });
// @ts-expect-error there is no such mode
informer(listWatch(client, pods), { dedup: 'newest' });

// Returned arrays and objects are read-only.
// @ts-expect-error arrays are readonly
podInformer.list().length = 0;
// @ts-expect-error objects are readonly at every depth
podInformer.list()[0]!.metadata.name = 'other';

// Informers and indexers are collections. Code that needs some indexes also accepts a collection
// with more indexes.
const services = createIndexer((service: { readonly name: string; readonly team: string }) => service.name, {
  team: ({ team }) => team,
});
expectTypeOf(services).toEqualTypeOf<Indexer<{ readonly name: string; readonly team: string }, 'team'>>();
expectTypeOf(podInformer).toExtend<Collection<Pod, 'node' | 'phase'>>();
expectTypeOf(podInformer).toExtend<Collection<Pod, 'node'>>();
expectTypeOf(podInformer).toExtend<Collection<Pod, never>>();
expectTypeOf(services).toExtend<Collection<{ readonly name: string; readonly team: string }, 'team'>>();
expectTypeOf<Collection<Pod, 'node'>>().not.toExtend<Collection<Pod, 'node' | 'phase'>>();

declare function follow<T>(collection: Collection<T, 'node'>): T;
expectTypeOf(follow(podInformer)).toEqualTypeOf<Pod>();
// @ts-expect-error services have no index by node
follow(services);

// The separate operators infer the same types as `informer`.
const commits = listWatch(client, pods).pipe(
  toDeltas(),
  reduceStore({ indexers: { node: (pod) => pod.spec?.nodeName } }),
);
expectTypeOf(commits).toEqualTypeOf<Observable<Commit<Pod, 'node'>>>();
commits.subscribe(({ snapshot }) => snapshot.byIndex('node', 'n1'));
// @ts-expect-error there is no such index
commits.subscribe(({ snapshot }) => snapshot.byIndex('nodde', 'n1'));

const snapshot = emptySnapshot({ node: (pod: Pod) => pod.spec?.nodeName });
expectTypeOf(snapshot).toExtend<Snapshot<Pod, 'node'>>();
expectTypeOf(snapshot.byIndex('node', 'n1')).toEqualTypeOf<readonly Pod[]>();

// Resources have the type of their objects.
interface Certificate extends KubernetesObject {
  readonly spec: { readonly secretName: string };
}
const certificates = resource<Certificate>({
  group: 'cert-manager.io',
  version: 'v1',
  plural: 'certificates',
  namespaced: true,
});
expectTypeOf(certificates).toEqualTypeOf<Resource<Certificate>>();
expectTypeOf(informer(listWatch(client, certificates)).get('web/a')).toEqualTypeOf<Certificate | undefined>();
expectTypeOf(informer(fromEvents([listed([{ id: 'a' }])]), { keyOf: ({ id }) => id }).get('a')).toEqualTypeOf<
  { id: string } | undefined
>();

// Raw and Live objects: dates are strings, all fields are read-only, and fields that the server
// always sets are required.
type Anything = ReturnType<typeof JSON.parse>;
interface Written {
  apiVersion?: string;
  kind?: string;
  metadata?: { name?: string; creationTimestamp?: Date; labels?: Record<string, string> };
  spec?: { items: { at: Date; weight?: number }[] };
  anything?: Anything;
}
expectTypeOf<JsonForm<Date>>().toEqualTypeOf<string>();
expectTypeOf<JsonForm<Date | undefined>>().toEqualTypeOf<string | undefined>();
expectTypeOf<JsonForm<Anything>>().toEqualTypeOf<unknown>();
expectTypeOf<JsonForm<string[]>>().toEqualTypeOf<readonly string[]>();
expectTypeOf<ObjectFromServer<Written>['kind']>().toEqualTypeOf<string>();
expectTypeOf<ObjectFromServer<Written>['metadata']['uid']>().toEqualTypeOf<string>();
expectTypeOf<ObjectFromServer<Written>['metadata']['name']>().toEqualTypeOf<string>();
expectTypeOf<ObjectFromServer<Written>['metadata']['creationTimestamp']>().toEqualTypeOf<string | undefined>();
expectTypeOf<NonNullable<ObjectFromServer<Written>['spec']>['items'][number]['at']>().toEqualTypeOf<string>();
expectTypeOf<ObjectFromServer<Written>['anything']>().toEqualTypeOf<unknown>();
expectTypeOf<Pod>().toExtend<KubernetesObject>();

// Code for collections of any Kubernetes object accepts a collection of pods.
expectTypeOf<Collection<Pod, 'node'>>().toExtend<Collection<KubernetesObject, 'node'>>();
expectTypeOf(podInformer).toExtend<Collection<KubernetesObject, 'node'>>();

// A query takes the type of its objects from the collection. Its index names are checked.
const onNode = bucket('node', 'n1');
expectTypeOf(podInformer.query(onNode)).toEqualTypeOf<readonly Pod[]>();
expectTypeOf(podInformer.query$(onNode)).toEqualTypeOf<Observable<readonly Pod[]>>();
expectTypeOf(podInformer.query(buckets('phase', ['Failed']))).toEqualTypeOf<readonly Pod[]>();
expectTypeOf(podInformer.query(bucketRange('node', { from: 'a' }))).toEqualTypeOf<readonly Pod[]>();
expectTypeOf(podInformer.query(bucketPrefix('node', 'a'))).toEqualTypeOf<readonly Pod[]>();
expectTypeOf(podInformer.query(objectByKey('a'))).toEqualTypeOf<Pod | undefined>();
expectTypeOf(podInformer.query(allObjects())).toEqualTypeOf<readonly Pod[]>();
expectTypeOf(podInformer.query(matching('app=web'))).toEqualTypeOf<readonly Pod[]>();
expectTypeOf(podInformer.query(matching((pod) => pod.status?.phase === 'Failed'))).toEqualTypeOf<readonly Pod[]>();
expectTypeOf(podInformer.query(bucketSize('node', 'n1'))).toEqualTypeOf<number>();
expectTypeOf(podInformer.query(collectionSize())).toEqualTypeOf<number>();
expectTypeOf(podInformer.query(indexValues('node'))).toEqualTypeOf<readonly string[]>();
expectTypeOf(podInformer.query(select((read) => read.byIndex('node', 'n1').length))).toEqualTypeOf<number>();
expectTypeOf(podInformer.query$(select(({ size }) => size > 0))).toEqualTypeOf<Observable<boolean>>();
expectTypeOf(podInformer.query(select((read) => read.list()[0]?.spec?.nodeName))).toEqualTypeOf<string | undefined>();
const web = matching('app=web');
expectTypeOf(podInformer.query(web)).toEqualTypeOf<readonly Pod[]>();
// @ts-expect-error there is no such index
podInformer.query(bucket('nodde', 'n1'));
// @ts-expect-error there is no such index
podInformer.query$(buckets('nodde', ['n1']));
// @ts-expect-error there is no such index
podInformer.query$(bucketRange('nodde', {}));
// @ts-expect-error there is no such index
podInformer.query(indexValues('nodde'));
// @ts-expect-error there is no such index
podInformer.query(select((read) => read.byIndex('nodde', 'n1')));
// @ts-expect-error without indexers there is no index at all
informer(listWatch(client, pods)).query(onNode);
// @ts-expect-error a query of services is not a query of pods
podInformer.query({} as Query<Service, number>);
