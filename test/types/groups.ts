import { expectTypeOf } from 'expect-type';
import { indexByNode, informer, pods, type KubeClient, type Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';

declare const client: KubeClient;
const podInformer = informer(client, pods, { indexers: { node: indexByNode } });

const byNode = derived.groupBy(podInformer, 'node', {
  pods: derived.count(),
  failed: derived.count((pod) => pod.status?.phase === 'Failed'),
  memory: derived.sum((pod) =>
    pod.spec?.containers.map((each) => derived.quantity(each.resources?.limits?.['memory'] ?? 0)),
  ),
  bytes: derived.sum((pod) => BigInt(pod.metadata.name.length)),
  maybe: derived.sum((pod) => (pod.spec === undefined ? undefined : 1n)),
  restarts: derived.mean((pod) => pod.status?.containerStatuses?.[0]?.restartCount),
  length: derived.mean((pod) => pod.metadata.name.length),
  phases: derived.tally((pod) => pod.status?.phase),
  ready: derived.tally((pod) => (pod.spec === undefined ? 'yes' : 'no')),
  oldest: derived.min((pod) => pod.status?.startTime),
  longest: derived.max((pod) => pod.metadata.name.length),
  newest: derived.topK(3, (pod) => pod.status?.startTime),
  custom: { zero: { n: 0 }, add: ({ n }, pod) => ({ n: n + pod.metadata.name.length }), remove: ({ n }) => ({ n }) },
});
declare function rowOf<R>(collection: derived.DerivedCollection<R>): R;
const row = rowOf(byNode);
expectTypeOf(row.pods).toEqualTypeOf<number>();
expectTypeOf(row.failed).toEqualTypeOf<number>();
expectTypeOf(row.memory).toEqualTypeOf<number>();
expectTypeOf(row.bytes).toEqualTypeOf<bigint>();
expectTypeOf(row.maybe).toEqualTypeOf<bigint | number>();
expectTypeOf(row.restarts).toEqualTypeOf<number | undefined>();
expectTypeOf(row.length).toEqualTypeOf<number>();
expectTypeOf(row.phases).toEqualTypeOf<derived.Tally<string>>();
expectTypeOf(row.ready).toEqualTypeOf<{ readonly yes?: number; readonly no?: number }>();
expectTypeOf(row.oldest).toEqualTypeOf<string | undefined>();
expectTypeOf(row.longest).toEqualTypeOf<number>();
expectTypeOf(row.newest).toEqualTypeOf<readonly Pod[]>();
expectTypeOf(row.custom).toEqualTypeOf<{ n: number }>();

// The options have the type of the rows, and the collection has the names of its indexes.
const indexed = derived.groupBy(
  podInformer,
  (pod) => pod.metadata.labels?.['app'],
  { pods: derived.count(), oldest: derived.min((pod) => pod.status?.startTime) },
  { indexers: { size: ({ pods: size }) => (size > 10 ? 'large' : 'small') } },
);
expectTypeOf(indexed.byIndex('size', 'large')[0]?.oldest).toEqualTypeOf<string | undefined>();
// @ts-expect-error there is no such index
indexed.byIndex('sizes', 'large');
// @ts-expect-error there is no such index
derived.groupBy(podInformer, 'nodes', { pods: derived.count() });
// @ts-expect-error pods have no such field
derived.groupBy(podInformer, 'node', { cpu: derived.sum((pod) => pod.cpu) });
// @ts-expect-error a sum needs numbers
derived.groupBy(podInformer, 'node', { cpu: derived.sum((pod) => pod.metadata.name) });
