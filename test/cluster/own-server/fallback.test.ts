import { informer, configMaps, listWatch } from 'rx-informers';
import { exponentialBackoff } from 'rx-informers/client';
import { configMap, connect } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { kubectlGet } from '../support/kubectl.js';
import { observe } from '../support/observed-client.js';
import { startRig, type RigOptions } from '../support/rig.js';
import { untilTestEnds } from '../support/until-test-ends.js';

describe('an informer with an API server that does not stream lists', () => {
  it.each<[string, RigOptions]>([
    ['Kubernetes 1.20', { kind: 'kube120' }],
    ['a recent version with the feature disabled', { flags: ['--feature-gates=WatchList=false'] }],
  ])('R26: lists in pages instead, without waiting for the backoff (%s)', async (_, options) => {
    const rig = await startRig(options);
    try {
      const cluster = connect(rig.kubeConfigFile);
      const namespace = await cluster.createNamespace();
      await cluster.create(configMaps, configMap(namespace, 'a'));
      const client = observe(cluster.client);
      // Longer than the test may take: the list in pages must not wait for it.
      const backoff = exponentialBackoff({ initial: 600_000, cap: 600_000 });
      const followed = informer(listWatch(client, configMaps, { namespace, backoff }));
      untilTestEnds(followed.connect());
      await followed.whenSynced();

      expect(followed.list()).toEqual(await kubectlGet(cluster, configMaps, namespace));
      expect(client.requests[0]?.query).toMatchObject({ sendInitialEvents: true });
      expect(client.requests[1]?.query).not.toHaveProperty('watch');

      await cluster.create(configMaps, configMap(namespace, 'b'));
      await eventually(followed.get$(`${namespace}/b`), (object) => object !== undefined);
    } finally {
      await rig.stop();
    }
  });
});
