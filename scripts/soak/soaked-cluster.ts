import { setTimeout as wait } from 'node:timers/promises';
import { namespaces, resource, type KubeClient, type KubernetesObject, type Resource } from 'rx-informers';
import { resourcePath } from 'rx-informers/client';
import { isNotFound, resourceClient } from 'rx-informers/requests';
import { firstValueFrom } from 'rxjs';
import { requestJson } from '../../src/sources/client/kube-client.js';

/**
 * The objects that the soak writes and observes: a kind with an open schema, in some namespaces.
 */
export interface SoakedCluster {
  readonly resource: Resource<KubernetesObject>;
  readonly namespaces: readonly string[];
  /** Deletes the kind, and with it all objects, and creates it again. */
  recreateKind(): Promise<void>;
  /** Deletes one of the namespaces and its objects, and creates it again. */
  recreateNamespace(random: () => number): Promise<void>;
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

const definitions = resource<KubernetesObject>({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
});

/** Creates the kind and the namespaces, and waits until the API server serves the kind. */
export async function prepare(client: KubeClient, count: number): Promise<SoakedCluster> {
  const kinds = resourceClient(client, definitions);
  const spaces = resourceClient(client, namespaces);
  const names = Array.from({ length: count }, (_, index) => `soak-${index}`);
  const createKind = async (): Promise<void> => {
    await kinds.create(definition);
    await settled(() => listAll(client, deeps));
  };

  await createKind();
  for (const name of names) await spaces.create({ metadata: { name } });
  return {
    resource: deeps,
    namespaces: names,
    recreateKind: async () => {
      await kinds.delete(definition);
      await settled(() => isGone(kinds.get(definition)));
      await createKind();
    },
    recreateNamespace: async (random) => {
      const space = { metadata: { name: names[Math.floor(random() * names.length)] as string } };
      const path = resourcePath(deeps, { namespace: space.metadata.name });
      await firstValueFrom(requestJson(client, { method: 'DELETE', path }));
      await spaces.delete(space);
      // No namespace controller runs, so the namespace is finalized here.
      const finalize = { ...space, apiVersion: 'v1', kind: 'Namespace', spec: { finalizers: [] } };
      await firstValueFrom(
        requestJson(client, {
          method: 'PUT',
          path: resourcePath(namespaces, { name: space.metadata.name, subresource: 'finalize' }),
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(finalize),
        }),
      ).catch(() => undefined);
      await settled(() => isGone(spaces.get(space)));
      await spaces.create(space);
    },
  };
}

/**
 * Calls the function until it succeeds, for at most three minutes: a server that has just restarted
 * repeats the deletion of a kind after waits that double.
 */
async function settled(attempt: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + 180_000;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
    }
    await wait(200);
  }
}

/** Fails unless the answer is 404. */
async function isGone(answer: PromiseLike<unknown>): Promise<void> {
  try {
    await answer;
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  throw new Error('the object still exists');
}

/** Returns what the API server lists, read from etcd. */
export async function listAll<T>(client: KubeClient, listed: Resource<T>): Promise<readonly T[]> {
  const path = resourcePath(listed);
  const list = await firstValueFrom(requestJson<{ readonly items: readonly T[] }>(client, { method: 'GET', path }));
  return list.items;
}
