import type { V1Pod } from '@kubernetes/client-node';
import { build } from 'esbuild';
import { expectTypeOf } from 'expect-type';
import * as root from 'rx-informers';
import {
  type KubernetesObject,
  type Resource,
  customResourceDefinitions,
  type CustomResourceDefinition,
  deployments,
  type Deployment,
  horizontalPodAutoscalers,
  leases,
  type Lease,
  configMaps,
  events,
  namespaces,
  nodes,
  pods,
  type Pod,
  type Service,
} from 'rx-informers';
import {
  type ObjectFromServer,
  type JsonForm,
  type ControllerRevision,
  horizontalPodAutoscalersV1,
  eventsV1Events,
  csiStorageCapacities,
} from 'rx-informers/resources';
import * as resources from 'rx-informers/resources';

function isDescriptor(value: unknown): value is Resource<unknown> {
  return typeof value === 'object' && value !== null && 'plural' in value;
}

describe('the descriptors of built-in kinds', () => {
  it.each([
    ['rx-informers/resources', 'clusterRoles', 'clusterroles'],
    ['rx-informers/resources', 'pods', 'pods'],
    ['rx-informers', 'deployments', 'deployments'],
  ])('import no other kind into a bundle: %s has only %s', async (entry, descriptor, plural) => {
    const { outputFiles } = await build({
      stdin: { contents: `export { ${descriptor} } from '${entry}';`, resolveDir: process.cwd() },
      bundle: true,
      format: 'esm',
      packages: 'bundle',
      tsconfig: 'tsconfig.json',
      write: false,
    });
    const plurals = [...(outputFiles[0]?.text ?? '').matchAll(/"v\d\w*", "(\w+)", "\w+"\)/g)].map(([, found]) => found);
    expect(plurals).toEqual([plural]);
  });

  it('are all in rx-informers/resources, and the common ones also in rx-informers', () => {
    const descriptorsOf = (entry: object): readonly string[] =>
      Object.entries(entry).flatMap(([name, value]) => (isDescriptor(value) ? [name] : []));
    expect(descriptorsOf(root)).toHaveLength(25);
    expect(descriptorsOf(resources)).toEqual(expect.arrayContaining([...descriptorsOf(root), 'clusterRoles']));
    expect(resources.pods).toBe(root.pods);
  });

  it('equal the result of resource(), without its checks in the bundle', () => {
    const descriptors = Object.values<unknown>(resources).filter(isDescriptor);
    expect(descriptors.length).toBeGreaterThan(50);
    expect(descriptors).toEqual(descriptors.map((descriptor) => root.resource(descriptor)));
    expect(descriptors.filter((descriptor) => !Object.isFrozen(descriptor))).toEqual([]);
  });

  it.each([
    [pods, { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }],
    [nodes, { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false }],
    [namespaces, { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }],
    [configMaps, { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true }],
    [deployments, { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true }],
    [leases, { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease', namespaced: true }],
    [
      csiStorageCapacities,
      {
        group: 'storage.k8s.io',
        version: 'v1',
        plural: 'csistoragecapacities',
        kind: 'CSIStorageCapacity',
        namespaced: true,
      },
    ],
    [
      customResourceDefinitions,
      {
        group: 'apiextensions.k8s.io',
        version: 'v1',
        plural: 'customresourcedefinitions',
        kind: 'CustomResourceDefinition',
        namespaced: false,
      },
    ],
  ])('contain how the API server addresses %j', (described: Resource<unknown>, expected) => {
    expect(described).toEqual(expected);
    expect(Object.isFrozen(described)).toBe(true);
  });

  it('use the plain name for the highest version, and names with the version for the others; all are stable', () => {
    expect(horizontalPodAutoscalers.version).toBe('v2');
    expect(horizontalPodAutoscalersV1.version).toBe('v1');
    // metrics-server, which is not built in, has no stable version.
    const versions = Object.values<unknown>(resources).flatMap((value) =>
      isDescriptor(value) && value.group !== 'metrics.k8s.io' ? [value.version] : [],
    );
    expect(new Set(versions)).toEqual(new Set(['v1', 'v2']));
  });

  it('use the plain name for the core group if two groups have a kind of the same name', () => {
    expect(events).toMatchObject({ group: '', kind: 'Event' });
    expect(eventsV1Events).toMatchObject({ group: 'events.k8s.io', kind: 'Event' });
  });
});

describe('the types of built-in objects', () => {
  it('are inferred from the descriptor, and exported by their own name', () => {
    expectTypeOf(pods).toEqualTypeOf<Resource<Pod>>();
    expectTypeOf<Pod>().toExtend<ObjectFromServer<V1Pod>>();
    expectTypeOf<ObjectFromServer<V1Pod>>().toExtend<Pod>();
    expectTypeOf<Pod>().toExtend<KubernetesObject>();
    expectTypeOf<CustomResourceDefinition>().toExtend<KubernetesObject>();
  });

  it('have required fields for everything that each object from the API server has', () => {
    expectTypeOf<Pod['apiVersion']>().toEqualTypeOf<string>();
    expectTypeOf<Pod['metadata']['name']>().toEqualTypeOf<string>();
    expectTypeOf<Pod['metadata']['resourceVersion']>().toEqualTypeOf<string>();
    expectTypeOf<Pod['metadata']['namespace']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Pod>().pick<'spec'>().toExtend<{ readonly spec?: object }>();
  });

  it('declare dates as strings, as they are sent', () => {
    expectTypeOf<Pod['metadata']['creationTimestamp']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<NonNullable<Lease['spec']>['renewTime']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<NonNullable<NonNullable<Pod['status']>['conditions']>[number]['lastTransitionTime']>().toEqualTypeOf<
      string | undefined
    >();
  });

  it('keep int-or-string values, quantities and maps', () => {
    expectTypeOf<NonNullable<NonNullable<Service['spec']>['ports']>[number]['targetPort']>().toEqualTypeOf<
      number | string | undefined
    >();
    expectTypeOf<NonNullable<NonNullable<Pod['spec']>['overhead']>[string]>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<Pod['metadata']['labels']>[string]>().toEqualTypeOf<string>();
  });

  it('are read-only at every depth', () => {
    expectTypeOf<NonNullable<Pod['spec']>['containers']>().toExtend<readonly unknown[]>();
    expectTypeOf<NonNullable<Pod['spec']>['containers']>().not.toExtend<unknown[]>();
    expectTypeOf<Pick<NonNullable<Deployment['spec']>, 'replicas'>>().toEqualTypeOf<{ readonly replicas?: number }>();
  });

  it('use unknown for any of client-node', () => {
    expectTypeOf<ControllerRevision['data']>().toEqualTypeOf<unknown>();
    // JSON.parse returns `any`.
    expectTypeOf<JsonForm<ReturnType<typeof JSON.parse>>>().toEqualTypeOf<unknown>();
    expectTypeOf<JsonForm<unknown>>().toEqualTypeOf<unknown>();
  });

  it('accept the recursive schema of a CustomResourceDefinition', () => {
    type Schema = NonNullable<
      NonNullable<CustomResourceDefinition['spec']['versions'][number]['schema']>['openAPIV3Schema']
    >;
    expectTypeOf<NonNullable<Schema['properties']>[string]>().toEqualTypeOf<Schema>();
    expectTypeOf<Schema['example']>().toEqualTypeOf<unknown>();
  });
});
