import { informer, configMaps, listWatch } from 'rx-informers';
import { configMap, connect, forEach, type Cluster } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { follow } from '../support/follower.js';
import { kubectlGet } from '../support/kubectl.js';
import { observe } from '../support/observed-client.js';
import { startRig, type Rig } from '../support/rig.js';

let rig: Rig;
let cluster: Cluster;
beforeAll(async () => {
  rig = await startRig();
  cluster = connect(rig.kubeConfigFile);
});
afterAll(() => rig.stop());

describe('an informer during a restart of the API server', () => {
  it.each([['stream'], ['pages']] as const)(
    'G5: that lists by %s continues, and receives later changes, including deletions',
    async (initialList) => {
      const namespace = await cluster.createNamespace();
      const names = Array.from({ length: 50 }, (_, index) => `c${index}`);
      await forEach(names, (name) => cluster.create(configMaps, configMap(namespace, name)));
      const followed = informer(listWatch(cluster.client, configMaps, { namespace, initialList }));
      const follower = follow(followed);
      await followed.whenSynced();

      await eventually(followed.status$, ({ state }) => state === 'watching');
      const back = rig.restart();
      await eventually(followed.status$, ({ state }) => state !== 'watching');
      expect(followed.list()).toHaveLength(50);
      await back;
      await changeSome(names, namespace);
      await eventually(followed.get$(`${namespace}/new`), (object) => object !== undefined);
      await eventually(followed.status$, ({ state }) => state === 'watching');

      expect(followed.list()).toEqual(await kubectlGet(cluster, configMaps, namespace));
      expect(follower.contradictions).toEqual([]);
      expect(follower.objects.size).toBe(followed.snapshot.size);
    },
  );

  it('G7: changes and deletions that were missed while disconnected are found after reconnecting', async () => {
    const namespace = await cluster.createNamespace();
    const names = Array.from({ length: 50 }, (_, index) => `c${index}`);
    await forEach(names, (name) => cluster.create(configMaps, configMap(namespace, name)));
    const client = observe(cluster.client);
    const followed = informer(listWatch(client, configMaps, { namespace }));
    const follower = follow(followed);
    await followed.whenSynced();

    client.cut();
    await changeSome(names, namespace);
    await rig.restart();
    client.restore();
    await eventually(followed.get$(`${namespace}/new`), (object) => object !== undefined);

    expect(followed.list()).toEqual(await kubectlGet(cluster, configMaps, namespace));
    expect(follower.contradictions).toEqual([]);
  });
});

/** Changes ten objects, deletes ten, and creates one last. */
async function changeSome(names: readonly string[], namespace: string): Promise<void> {
  await forEach(names.slice(0, 10), (name) =>
    cluster.patch(configMaps, configMap(namespace, name), { data: { data: 'changed' } }),
  );
  await forEach(names.slice(10, 20), (name) => cluster.remove(configMaps, configMap(namespace, name)));
  await cluster.create(configMaps, configMap(namespace, 'new'));
}
