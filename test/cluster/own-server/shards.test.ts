import { informer, configMaps, listWatch } from 'rx-informers';
import { shardOf } from 'rx-informers/shard';
import { firstValueFrom, merge } from 'rxjs';
import { requestJson } from '../../../src/sources/client/kube-client.js';
import { shardFilter, shardSelector } from '../../../src/sources/reflector/shard.js';
import { configMap, connect, forEach, type Cluster } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { startRig, type Rig } from '../support/rig.js';
import { untilTestEnds } from '../support/until-test-ends.js';

const count = 3;
const indexes = Array.from({ length: count }, (_, index) => index);
const namespaceCount = 8;
const objectsPerNamespace = 20;

interface Listed {
  readonly metadata: { readonly shardInfo?: { readonly selector: string } };
  readonly items: readonly { readonly metadata: { readonly uid: string; readonly namespace: string } }[];
}

describe.each([
  ['that supports shards', ['--feature-gates=ShardedListAndWatch=true']],
  ['that does not support shards', []],
] as const)('a list-watch with an API server %s', (_, flags) => {
  const shards = flags.length > 0;
  let rig: Rig;
  let cluster: Cluster;
  let namespaces: readonly string[];

  beforeAll(async () => {
    rig = await startRig({ flags });
    cluster = connect(rig.kubeConfigFile);
    namespaces = await forEach(Array<number>(namespaceCount).fill(0), () => cluster.createNamespace());
    const manifests = namespaces.flatMap((namespace) =>
      Array.from({ length: objectsPerNamespace }, (_unused, number) => configMap(namespace, `c${number}`)),
    );
    await forEach(manifests, (manifest) => cluster.create(configMaps, manifest));
  });
  afterAll(() => rig.stop());

  const list = (query: Readonly<Record<string, string>>): Promise<Listed> =>
    firstValueFrom(requestJson<Listed>(cluster.client, { method: 'GET', path: '/api/v1/configmaps', query }));

  it.each(['uid', 'namespace'] as const)(
    'as a shard by %s, lists the objects that the filter assigns to the shard',
    async (by) => {
      const { items } = await list({});
      expect(items).toHaveLength(namespaceCount * objectsPerNamespace);
      for (const index of indexes) {
        const shard = { index, count, by };
        const sent = await list({ shardSelector: shardSelector(shard) });
        const uids = (objects: Listed['items']) => objects.map(({ metadata }) => metadata.uid).sort();
        expect(sent.metadata.shardInfo?.selector).toBe(shards ? shardSelector(shard) : undefined);
        expect(uids(sent.items)).toEqual(uids(shards ? items.filter(shardFilter(shard).owns) : items));
      }
    },
  );

  it.each(['stream', 'pages'] as const)(
    'delivers every object to exactly one of three informers, through changes (first list: %s)',
    async (initialList) => {
      const replicas = indexes.map((index) =>
        informer(
          listWatch(cluster.client, configMaps, { initialList, pageSize: 50, shard: shardOf({ index, count }) }),
        ),
      );
      for (const replica of replicas) untilTestEnds(replica.connect());
      await Promise.all(replicas.map((replica) => replica.whenSynced()));
      const keys = (): readonly string[] => replicas.flatMap((replica) => replica.keys()).sort();
      const before = keys();
      expect(before).toHaveLength(namespaceCount * objectsPerNamespace);
      expect(new Set(before).size).toBe(before.length);

      const [namespace = ''] = namespaces;
      const names = Array.from({ length: 12 }, (_unused, number) => `${initialList}-${number}`);
      for (const name of names) {
        await cluster.create(configMaps, configMap(namespace, name));
        await cluster.patch(configMaps, configMap(namespace, name), { data: { data: 'changed' } });
        await cluster.remove(configMaps, configMap(namespace, name));
        await cluster.create(configMaps, configMap(namespace, name));
      }
      const created = names.map((name) => `${namespace}/${name}`);
      const anything$ = merge(...replicas.map((replica) => replica.snapshot$));
      const expected = JSON.stringify([...before, ...created].sort());
      await eventually(anything$, () => JSON.stringify(keys()) === expected);
      for (const name of names) await cluster.remove(configMaps, configMap(namespace, name));
      await eventually(anything$, () => JSON.stringify(keys()) === JSON.stringify(before));
    },
  );
});
