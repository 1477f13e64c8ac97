import { informer, configMaps, listWatch, StatusError } from 'rx-informers';
import { clusterRoleBindings, clusterRoles } from 'rx-informers/resources';
import { configMap, connect, type Cluster } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { kubectlGet } from '../support/kubectl.js';
import { observe } from '../support/observed-client.js';
import { startRig, type Rig } from '../support/rig.js';
import { untilTestEnds } from '../support/until-test-ends.js';

let rig: Rig;
let cluster: Cluster;
beforeAll(async () => {
  rig = await startRig({ kind: 'kube120' });
  cluster = connect(rig.kubeConfigFile);
});
afterAll(() => rig.stop());

describe('an informer whose token has no rights', () => {
  it('G5, G6: has the status forbidden, retries with growing waits, and works as soon as the rights are granted', async () => {
    const namespace = await cluster.createNamespace();
    await cluster.create(configMaps, configMap(namespace, 'a'));
    const client = observe(connect(rig.kubeConfigFile, 'nobody').client);
    const followed = informer(listWatch(client, configMaps, { namespace }));
    untilTestEnds(followed.connect());

    const status = await eventually(
      followed.status$,
      (current) => current.state === 'forbidden' && current.attempt === 3,
    );
    expect(status).toMatchObject({ cause: { name: StatusError.name, statusCode: 403, reason: 'Forbidden' } });
    expect(followed.hasSynced).toBe(false);
    // R18: at least 0.8 and 1.6 seconds between three attempts, each of a stream and a list at the
    // most.
    const [first, last] = [client.requests[0], client.requests.at(-1)];
    expect((last?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(2_000);
    expect(client.requests.length).toBeLessThanOrEqual(6);

    await grant('nobody');
    await eventually(followed.status$, ({ state }) => state === 'watching');
    expect(followed.list()).toEqual(await kubectlGet(cluster, configMaps, namespace));
    await cluster.create(configMaps, configMap(namespace, 'b'));
    await eventually(followed.get$(`${namespace}/b`), (object) => object !== undefined);
  });
});

/** Lets a user read ConfigMaps everywhere. */
async function grant(user: string): Promise<void> {
  const name = `${user}-reads`;
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];
  await cluster.create(clusterRoles, { metadata: { name }, rules });
  await cluster.create(clusterRoleBindings, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  });
}
