import {
  informer,
  type KubernetesObject,
  type Resource,
  deployments,
  leases,
  configMaps,
  nodes,
  pods,
  secrets,
  services,
  listWatch,
} from 'rx-informers';
import { apiVersionOf } from 'rx-informers/resources';
import { connect, uniqueName, type Manifest } from './support/cluster.js';
import { customKind } from './support/custom-kind.js';
import { eventually } from './support/eventually.js';
import { untilTestEnds } from './support/until-test-ends.js';

const cluster = connect();
afterAll(() => cluster.cleanUp());

describe('an informer with a real API server', () => {
  it.each<[string, Resource<KubernetesObject>, Record<string, unknown>]>([
    // No scheduler takes the pod, so a deletion is immediate everywhere.
    ['Pods', pods, { spec: { schedulerName: 'nobody', containers: [{ name: 'main', image: 'example.com/main' }] } }],
    ['Nodes', nodes, {}],
    ['ConfigMaps', configMaps, { data: { a: '1' } }],
    ['Secrets', secrets, { stringData: { a: '1' } }],
    ['Services', services, { spec: { ports: [{ port: 80 }] } }],
    ['Leases', leases, { spec: { holderIdentity: 'a' } }],
    ['Deployments', deployments, deployment()],
  ])('lists existing %s, and follows their creation, update and deletion', async (_, resource, fields) => {
    await expectToFollow(resource, fields);
  });

  it('lists and follows a custom resource that discovery has found', async () => {
    const kind = customKind(cluster);
    const gadgets = await kind.install();
    expect(gadgets).toEqual({ group: kind.group, version: 'v1', plural: 'gadgets', kind: 'Gadget', namespaced: true });
    try {
      await expectToFollow(gadgets, { spec: { size: 1 } });
    } finally {
      await kind.uninstall();
    }
  });
});

async function expectToFollow(resource: Resource<KubernetesObject>, fields: Record<string, unknown>): Promise<void> {
  const namespace = resource.namespaced ? { namespace: await cluster.createNamespace() } : {};
  const [early, late] = [uniqueName('early'), uniqueName('late')];
  const manifest = (name: string): Manifest => ({ metadata: { ...namespace, name }, ...fields });
  const key = (name: string): string => (namespace.namespace === undefined ? name : `${namespace.namespace}/${name}`);

  await cluster.create(resource, manifest(early));
  const followed = informer(listWatch(cluster.client, resource, namespace));
  untilTestEnds(followed.connect());
  try {
    const listed = await eventually(followed.get$(key(early)), (object) => object !== undefined);
    expect(listed).toMatchObject({
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: { name: early },
    });
    expect(listed.metadata).not.toHaveProperty('managedFields');

    await cluster.create(resource, manifest(late));
    const created = await eventually(followed.get$(key(late)), (object) => object !== undefined);
    expect(created).toMatchObject({
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: { name: late },
    });

    await cluster.patch(resource, manifest(late), { metadata: { labels: { changed: 'yes' } } });
    await eventually(followed.get$(key(late)), (object) => object?.metadata?.labels?.['changed'] === 'yes');

    await cluster.remove(resource, manifest(late));
    await eventually(followed.get$(key(late)), (object) => object === undefined);
  } finally {
    await cluster.remove(resource, manifest(early));
  }
}

function deployment(): Record<string, unknown> {
  const labels = { app: 'main' };
  const containers = [{ name: 'main', image: 'example.com/main' }];
  return {
    spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}
