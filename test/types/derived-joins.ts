import { expectTypeOf } from 'expect-type';
import { informer, indexByNode, services, nodes, pods, replicaSets, type KubeClient, type Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { indexByController } from 'rx-informers/store';

declare const client: KubeClient;
const podInformer = informer(client, pods, { indexers: { node: indexByNode, controller: indexByController } });
const nodeInformer = informer(client, nodes, { indexers: { providerID: ({ spec }) => spec?.providerID } });

// Rows, index names and the indexes of rows are inferred.
const placed = derived.leftJoin(
  podInformer,
  nodeInformer,
  { on: 'node', select: (pod, node) => ({ pod, zone: node?.metadata.labels?.['zone'] }) },
  { indexers: { zone: (row) => row.zone } },
);
expectTypeOf(placed).toEqualTypeOf<derived.DerivedCollection<{ pod: Pod; zone: string | undefined }, 'zone'>>();

// In an inner join, `undefined` means that there is no row.
const inner = derived.leftJoin(podInformer, nodeInformer, {
  on: (pod) => pod.spec?.nodeName,
  select: (pod, node) => node && { pod: pod.metadata.name, node: node.metadata.name },
});
expectTypeOf(inner).toEqualTypeOf<derived.DerivedCollection<{ pod: string; node: string }, never>>();
// @ts-expect-error pods have no such index
derived.leftJoin(podInformer, nodeInformer, { on: 'host', select: () => 1 });
// @ts-expect-error nodes have no such index
derived.leftJoin(podInformer, nodeInformer, { on: 'node', to: 'node', select: () => 1 });
// @ts-expect-error a number is not a key
derived.leftJoin(podInformer, nodeInformer, { on: (pod) => pod.metadata.name.length, select: () => 1 });

const owners = informer(client, replicaSets, { indexers: { uid: ({ metadata }) => metadata.uid } });
const owned = derived.groupJoin(owners, podInformer, {
  on: 'controller',
  to: 'uid',
  select: (owner, group) => ({ name: owner.metadata.name, group }),
});
expectTypeOf(owned).toEqualTypeOf<derived.DerivedCollection<{ name: string; group: readonly Pod[] }, never>>();

const endpoints = derived.selectorJoin(informer(client, services), podInformer, {
  selector: derived.serviceSelector,
  within: 'namespace',
});
expectTypeOf(endpoints.get('web/a')?.object).toEqualTypeOf<Pod | undefined>();
expectTypeOf(endpoints.byIndex('selectedBy', 'web/api')[0]?.selectedBy).toEqualTypeOf<readonly string[] | undefined>();
const ips = derived.selectorJoin(
  informer(client, services),
  podInformer,
  {
    selector: ({ spec }) => spec?.selector && { matchLabels: spec.selector },
    within: 'namespace',
    select: (pod, selecting) => ({ ip: pod.status?.podIP, types: selecting.map((service) => service.spec?.type) }),
  },
  { indexers: { ip: (row) => row.ip } },
);
expectTypeOf(ips.byIndex('ip', '10.0.0.1')[0]?.types).toEqualTypeOf<(string | undefined)[] | undefined>();
// @ts-expect-error the option `within` is required
derived.selectorJoin(informer(client, services), podInformer, { selector: derived.serviceSelector });
