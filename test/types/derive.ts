import { expectTypeOf } from 'expect-type';
import { matching, type Informer, type KubernetesNode, type Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { bucketSize } from 'rx-informers/store';

declare const pods: Informer<Pod, 'node' | 'phase'>;
declare const nodes: Informer<KubernetesNode>;

// Objects, names, indexes and rows are inferred at every step.
const rows = derived.derive(
  pods,
  { nodes, pods },
  (pod, read) => {
    expectTypeOf(pod).toEqualTypeOf<Pod>();
    expectTypeOf(read.nodes.get('n1')).toEqualTypeOf<KubernetesNode | undefined>();
    expectTypeOf(read.pods.byIndex('node', 'n1')).toEqualTypeOf<readonly Pod[]>();
    expectTypeOf(read.pods.query(bucketSize('phase', 'Failed'))).toEqualTypeOf<number>();
    expectTypeOf(read.pods.query(matching<Pod>('app=web'))).toEqualTypeOf<readonly Pod[]>();
    // @ts-expect-error there is no such index
    read.pods.byIndex('nodde', 'n1');
    // @ts-expect-error there is no such index
    read.pods.query(bucketSize('nodde', 'n1'));
    expectTypeOf(read).not.toHaveProperty('machines');
    return { name: pod.metadata.name, zone: read.nodes.get('n1')?.metadata.labels?.['zone'] };
  },
  { indexers: { zone: (row) => row.zone } },
);
expectTypeOf(rows).toEqualTypeOf<derived.DerivedCollection<{ name: string; zone: string | undefined }, 'zone'>>();

// `undefined` and `null` mean that there is no row. They are not part of the type of a row.
expectTypeOf(derived.derive(pods, {}, (pod) => pod.spec?.nodeName ?? null)).toEqualTypeOf<
  derived.DerivedCollection<string, never>
>();
expectTypeOf(derived.map(pods, (pod) => pod.spec?.nodeName ?? null)).toEqualTypeOf<
  derived.DerivedCollection<string, never>
>();
expectTypeOf(derived.derive(pods, { nodes }, (_pod, read) => read.nodes.get('n1'))).toEqualTypeOf<
  derived.DerivedCollection<KubernetesNode, never>
>();
expectTypeOf(derived.derive(pods, {}, (pod) => pod.metadata.name)).toEqualTypeOf<
  derived.DerivedCollection<string, never>
>();
// A derived collection can be read like any other collection.
derived.derive(rows, { rows }, (row, read) => read.rows.byIndex('zone', row.zone ?? '').length);

// A read after an `await` would not be tracked.
// @ts-expect-error the function must not be asynchronous
derived.derive(pods, { nodes }, async (pod) => Promise.resolve(pod.metadata.name));
