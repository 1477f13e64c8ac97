import { resource } from 'rx-informers';
import {
  aConfigMap,
  aDeployment,
  aNamespace,
  aNode,
  aPod,
  aReplicaSet,
  anyObject,
  createInMemoryApiServer,
} from 'rx-informers/testing';

describe('factories', () => {
  it('make the same object in every run', () => {
    expect(aPod({ name: 'a', node: 'n1' })).toEqual(aPod({ name: 'a', node: 'n1' }));
    expect(aPod({ name: 'a' }).metadata).toEqual({
      name: 'a',
      namespace: 'default',
      uid: 'pod-default-a',
      resourceVersion: '1',
      creationTimestamp: '2024-01-01T00:00:00Z',
    });
  });

  it('state what was asked for and nothing else', () => {
    const pod = aPod({ name: 'a', namespace: 'shop', labels: { app: 'web' }, resourceVersion: 7, finalizers: ['x/y'] });
    expect(pod.metadata).toMatchObject({
      namespace: 'shop',
      labels: { app: 'web' },
      resourceVersion: '7',
      finalizers: ['x/y'],
    });
    expect(pod.spec).toEqual({ containers: [{ name: 'main', image: 'app:1' }] });
    expect(pod.status).toEqual({ phase: 'Pending' });
    expect(aNode({ name: 'n' }).metadata).not.toHaveProperty('namespace');
  });

  it('make a pod with a node running and ready by default', () => {
    expect(aPod({ name: 'a', node: 'n' }).status).toMatchObject({
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
    });
    expect(aPod({ name: 'a', node: 'n', phase: 'Failed' }).status).toMatchObject({
      phase: 'Failed',
      conditions: [{ status: 'False' }],
    });
  });

  it('link owners as controllers', () => {
    const owner = aDeployment({ name: 'web' });
    expect(aReplicaSet({ name: 'web-1', owner }).metadata.ownerReferences).toEqual([
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'deployment-default-web', controller: true },
    ]);
  });

  it('make objects that the API server takes', () => {
    const server = createInMemoryApiServer();
    const objects = [
      aNamespace({ name: 'shop' }),
      aNode({ name: 'n' }),
      aPod({ name: 'p', namespace: 'shop' }),
      aConfigMap({ name: 'c' }),
      aDeployment({ name: 'd' }),
    ];
    expect(server.apply(objects)).toHaveLength(5);
  });

  it('make an object of any resource', () => {
    const widgets = resource<{ readonly spec: { readonly size: number } }>({
      group: 'example.com',
      version: 'v1',
      plural: 'widgets',
      kind: 'Widget',
      namespaced: true,
    });
    expect(anyObject(widgets, { name: 'w', content: { spec: { size: 3 } } })).toMatchObject({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'default' },
      spec: { size: 3 },
    });
  });

  it('say what is missing where a descriptor names no kind', () => {
    expect(() => anyObject({ group: '', version: 'v1', plural: 'things', namespaced: true }, { name: 'a' })).toThrow(
      'the descriptor of things names no kind',
    );
  });
});
