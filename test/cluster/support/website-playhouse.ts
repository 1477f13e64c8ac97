import { customResourceDefinitions, type KubeClient } from 'rx-informers';
import { discoverResource } from 'rx-informers/requests';
import { firstValueFrom, retry, timeout } from 'rxjs';
import { parse } from 'yaml';
import { readCluster } from '../../../examples/test/website-operator/cluster-state.js';
import { personWithKubectl } from '../../../examples/test/website-operator/person.js';
import { stageAt } from '../../../examples/test/website-operator/stage-at.js';
import type { Playhouse } from '../../../examples/test/website-operator/stage.js';
import { websiteDefinition } from '../../../examples/website-operator/cluster.js';
import { websites } from '../../../examples/website-operator/website.js';
import { connect, type Cluster, type Manifest } from './cluster.js';
import { hasKubectl, kubectlGet } from './kubectl.js';

const definition = parse(websiteDefinition) as Manifest;

/**
 * Creates the definition of the kind Website in a cluster. Resolves when the API server serves the
 * kind.
 */
export async function installWebsites(cluster: Cluster): Promise<void> {
  await cluster.create(customResourceDefinitions, definition);
  const kind = { apiVersion: 'example.com/v1', kind: 'Website' };
  await firstValueFrom(discoverResource(cluster.client, kind).pipe(retry({ delay: 50 }), timeout({ first: 120_000 })));
}

export async function uninstallWebsites(cluster: Cluster): Promise<void> {
  await cluster.remove(customResourceDefinitions, definition);
}

export interface WebsitePlayhouseOptions {
  readonly cluster: () => Cluster;
  readonly storesEvents: boolean;
  readonly restart?: () => Promise<void>;
  /** Returns the operator's connection (default: the connection of the cluster). */
  readonly operator?: () => KubeClient;
}

/**
 * Returns stages at a real API server, each in a namespace of its own. The server has no controller
 * manager, so nothing collects garbage.
 */
export function websitePlayhouse({ cluster, operator, ...abilities }: WebsitePlayhouseOptions): Playhouse {
  return {
    collectsGarbage: false,
    ...abilities,
    open: async () => {
      const { kubeConfigFile, client, createNamespace } = cluster();
      const namespace = await createNamespace();
      const stage = stageAt({
        namespace,
        client: operator?.() ?? client,
        outside: connect(kubeConfigFile).client,
        judge: () => readCluster((resource) => kubectlGet(cluster(), resource, namespace)),
        ...((await hasKubectl()) ? { kubectl: personWithKubectl(kubeConfigFile, namespace) } : {}),
        // Removes the finalizers, because the operator no longer runs. A website with a finalizer
        // would stay, and a definition is deleted only after the last object of its kind.
        close: async () => {
          for (const { metadata } of (await stage.look()).websites) {
            await stage.user.patch(websites, metadata.name, { metadata: { finalizers: null } });
            await stage.user.remove(websites, metadata.name);
          }
        },
      });
      return stage;
    },
  };
}
