import { setTimeout as wait } from 'node:timers/promises';
import {
  namespaces,
  resource,
  resourcePath,
  type KubeClient,
  type KubernetesObject,
  type Resource,
} from 'rx-informers';
import { resourceClient } from 'rx-informers/controller';
import { firstValueFrom } from 'rxjs';
import { requestJson } from '../../src/sources/client/kube-client.js';

/**
 * The objects that the soak writes and observes: a kind with an open schema, in some namespaces.
 */
interface SoakedCluster {
  readonly resource: Resource<KubernetesObject>;
  readonly namespaces: readonly string[];
}

const group = 'soak.rx-informers.dev';
const deeps = resource<KubernetesObject>({ group, version: 'v1', plural: 'deeps', kind: 'Deep', namespaced: true });

const definition = {
  metadata: { name: `deeps.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'deeps', singular: 'deep', kind: 'Deep', listKind: 'DeepList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** Creates the kind and the namespaces, and waits until the API server serves the kind. */
export async function prepare(client: KubeClient, count: number): Promise<SoakedCluster> {
  const definitions = resource<KubernetesObject>({
    group: 'apiextensions.k8s.io',
    version: 'v1',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    namespaced: false,
  });
  await resourceClient(client, definitions).create(definition);
  const names = Array.from({ length: count }, (_, index) => `soak-${index}`);
  for (const name of names) await resourceClient(client, namespaces).create({ metadata: { name } });
  for (;;) {
    const isServed = await listAll(client, deeps).then(
      () => true,
      () => false,
    );
    if (isServed) return { resource: deeps, namespaces: names };
    await wait(200);
  }
}

/** Returns what the API server lists, read from etcd. */
export async function listAll<T>(client: KubeClient, listed: Resource<T>): Promise<readonly T[]> {
  const path = resourcePath(listed);
  const list = await firstValueFrom(requestJson<{ readonly items: readonly T[] }>(client, { method: 'GET', path }));
  return list.items;
}
