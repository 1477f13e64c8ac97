import { expectTypeOf } from 'expect-type';
import { bucketSize, matching, type Informer, type Node, type Pod } from 'rx-informers';
import { derive, map, type DerivedCollection } from 'rx-informers/derived';

declare const pods: Informer<Pod, 'node' | 'phase'>;
declare const nodes: Informer<Node>;

// Objects, names, indexes and rows are inferred at every step.
const rows = derive(
  pods,
  { nodes, pods },
  (pod, read) => {
    expectTypeOf(pod).toEqualTypeOf<Pod>();
    expectTypeOf(read.nodes.get('n1')).toEqualTypeOf<Node | undefined>();
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
expectTypeOf(rows).toEqualTypeOf<DerivedCollection<{ name: string; zone: string | undefined }, 'zone'>>();

// `undefined` and `null` mean that there is no row. They are not part of the type of a row.
expectTypeOf(derive(pods, {}, (pod) => pod.spec?.nodeName ?? null)).toEqualTypeOf<DerivedCollection<string, never>>();
expectTypeOf(map(pods, (pod) => pod.spec?.nodeName ?? null)).toEqualTypeOf<DerivedCollection<string, never>>();
expectTypeOf(derive(pods, { nodes }, (_pod, read) => read.nodes.get('n1'))).toEqualTypeOf<
  DerivedCollection<Node, never>
>();
expectTypeOf(derive(pods, {}, (pod) => pod.metadata.name)).toEqualTypeOf<DerivedCollection<string, never>>();
// A derived collection can be read like any other collection.
derive(rows, { rows }, (row, read) => read.rows.byIndex('zone', row.zone ?? '').length);

// A read after an `await` would not be tracked.
// @ts-expect-error the function must not be asynchronous
derive(pods, { nodes }, async (pod) => Promise.resolve(pod.metadata.name));
