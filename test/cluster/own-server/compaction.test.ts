import { informer, type InformerError, configMaps, listWatch, StatusError } from 'rx-informers';
import { configMap, connect, forEach } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { follow } from '../support/follower.js';
import { kubectlGet } from '../support/kubectl.js';
import { observe } from '../support/observed-client.js';
import { startRig, type Rig } from '../support/rig.js';

describe.each([
  // With a warm watch cache a compaction alone expires nothing.
  ['and a restart', [], (rig: Rig) => rig.restart()],
  ['without a watch cache', ['--watch-cache=false'], () => Promise.resolve()],
])('an informer after a compaction of etcd %s', (_, flags, afterwards) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ flags });
  });
  afterAll(() => rig.stop());

  it.each([['stream'], ['pages']] as const)(
    'R15, G7: lists again when its version has expired, and missed deletions become tombstones (list by %s)',
    async (initialList) => {
      const cluster = connect(rig.kubeConfigFile);
      const namespace = await cluster.createNamespace();
      const names = Array.from({ length: 40 }, (_, index) => `c${String(index).padStart(2, '0')}`);
      await forEach(names, (name) => cluster.create(configMaps, configMap(namespace, name)));
      const client = observe(cluster.client);
      const followed = informer(listWatch(client, configMaps, { namespace, initialList }));
      const errors: InformerError[] = [];
      followed.errors$.subscribe((error) => errors.push(error));
      const follower = follow(followed);
      await followed.whenSynced();

      client.cut();
      await forEach(names.slice(0, 10), (name) => cluster.remove(configMaps, configMap(namespace, name)));
      await forEach(names.slice(10, 20), (name) =>
        cluster.patch(configMaps, configMap(namespace, name), { data: { data: 'new' } }),
      );
      await cluster.create(configMaps, configMap(namespace, 'new'));
      await rig.compact();
      await afterwards(rig);
      client.restore();
      await eventually(followed.get$(`${namespace}/new`), (object) => object !== undefined);

      expect(errors).toContainEqual(expect.objectContaining({ name: StatusError.name, statusCode: 410 }));
      expect(followed.list()).toEqual(await kubectlGet(cluster, configMaps, namespace));
      expect(follower.reasons).toEqual(['initial', 'relist']);
      expect(follower.contradictions).toEqual([]);
      const changes = follower.changeSets.at(-1)?.changes ?? [];
      expect(changes.filter(({ type }) => type === 'deleted')).toEqual(
        names
          .slice(0, 10)
          .map((name) => expect.objectContaining({ key: `${namespace}/${name}`, finalStateUnknown: true })),
      );
      expect(changes.filter(({ type }) => type === 'updated')).toHaveLength(10);
      expect(changes.filter(({ type }) => type === 'added')).toHaveLength(1);
    },
  );
});
