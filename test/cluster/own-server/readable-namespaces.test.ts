import { configMaps, informer, inNamespaces, namespaces, roleBindings, type KubeClient } from 'rx-informers';
import { readableNamespaces, namespaceRights$ } from 'rx-informers/requests';
import { clusterRoles } from 'rx-informers/resources';
import { tap } from 'rxjs';
import { configMap, connect, forEach, type Cluster } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { startRig, type Rig } from '../support/rig.js';
import { untilTestEnds } from '../support/until-test-ends.js';

let rig: Rig;
let cluster: Cluster;
beforeAll(async () => {
  rig = await startRig({ kind: 'kube120' });
  cluster = connect(rig.kubeConfigFile);
});
afterAll(() => rig.stop());

// Reviews are limited to 5 a second.
const candidates = Array.from({ length: 40 }, (_, n) => `team-${n}`);

describe('a user with rights in 3 of 40 namespaces of a real API server', () => {
  it('reads the objects of exactly these, without a 403, and follows rights that are granted and withdrawn', async () => {
    await forEach(candidates, (name) => cluster.create(namespaces, { metadata: { name } }));
    await forEach(candidates, (name) => cluster.create(configMaps, configMap(name, 'settings')));
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];
    await cluster.create(clusterRoles, { metadata: { name: 'reader' }, rules });
    await forEach(['team-3', 'team-17', 'team-39'], grant);
    const responses = countResponses(connect(rig.kubeConfigFile, 'nobody').client);
    const readable$ = readableNamespaces(
      responses.client,
      configMaps,
      namespaceRights$(responses.client, { candidates }),
    );
    const followed = informer(responses.client, configMaps, { namespace: inNamespaces(readable$) });
    untilTestEnds(followed.connect());
    const namespacesOf = (objects: readonly { readonly metadata: { readonly namespace?: string } }[]): string =>
      [...new Set(objects.map(({ metadata }) => metadata.namespace))].join();

    await eventually(followed.list$(), (objects) => namespacesOf(objects) === 'team-17,team-3,team-39');
    expect(responses.of(403)).toBe(0);

    await grant('team-25');
    await cluster.remove(roleBindings, { metadata: { name: 'reader', namespace: 'team-17' } });
    await eventually(followed.list$(), (objects) => namespacesOf(objects) === 'team-25,team-3,team-39');
    expect(responses.of(403)).toBe(0);
    // The status of a review is 201.
    expect(responses.of(201)).toBeGreaterThan(40);
  });
});

async function grant(namespace: string): Promise<void> {
  await cluster.create(roleBindings, {
    metadata: { name: 'reader', namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'nobody' }],
  });
}

/** Returns a client that counts its responses by status. */
function countResponses(client: KubeClient) {
  const counts = new Map<number, number>();
  return {
    client: {
      ...client,
      exchange: (request) =>
        client.exchange(request).pipe(
          tap((part) => {
            if (part.type === 'head') counts.set(part.status, (counts.get(part.status) ?? 0) + 1);
          }),
        ),
    } satisfies KubeClient,
    of: (status: number): number => counts.get(status) ?? 0,
  };
}
