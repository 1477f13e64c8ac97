import { readFileSync } from 'node:fs';
import { KubeConfig } from '@kubernetes/client-node';
import { deployments, informer, whereChanged, type KubeClient } from 'rx-informers';
import { changedKeys, resourceClient, workqueue } from 'rx-informers/controller';
import { kubeClient } from 'rx-informers/node';
import { createApiServer } from 'rx-informers/testing';
import { delay, type Subscription } from 'rxjs';
import type { ClusterOptions } from '../support/cluster-options.js';
import { kubeConfigOf } from '../support/kube-config-of.js';

/** The definition of the kind, as `kubectl apply -f` takes it. */
export const websiteDefinition = readFileSync(new URL('website-crd.yaml', import.meta.url), 'utf8');

/** The cluster that is looked after, and how to let go of it. */
export interface Cluster {
  readonly title: string;
  readonly client: KubeClient;
  close(): Promise<void>;
}

/** The cluster of the kubeconfig that the options name, or an embedded one with two websites. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const kubeConfig = kubeConfigOf(options);
  if (!kubeConfig) return embeddedCluster();
  const client = kubeClient(kubeConfig);
  return {
    title: kubeConfig.getCurrentContext(),
    client,
    close: () => {
      client.close();
      return Promise.resolve();
    },
  };
}

async function embeddedCluster(): Promise<Cluster> {
  const server = await createApiServer();
  server.apply(websiteDefinition);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(server.kubeconfig());
  const client = kubeClient(kubeConfig);
  const controllers = startDeployments(client);
  server.apply(exampleWebsites);
  return {
    title: `embedded API server at ${server.url}`,
    client,
    close: async () => {
      controllers.unsubscribe();
      client.close();
      await server.close();
    },
  };
}

/** What a real cluster's controllers and kubelets do: a second after a Deployment was changed, all its replicas are ready. */
export function startDeployments(
  client: KubeClient,
  { wait = 1_000, namespace }: DeploymentsOptions = {},
): Subscription {
  const { scheduler } = client;
  // Its watch ends with the subscription: the API server that it watches closes next.
  const deploymentCache = informer(client, deployments, { namespace, linger: 0 });
  const deploymentClient = resourceClient(client, deployments, { fieldManager: 'deployment-controller' });
  return deploymentCache.changes$
    .pipe(
      whereChanged(({ metadata }) => metadata.generation),
      changedKeys(),
      delay(wait, scheduler),
      workqueue(
        (key) => {
          const deployment = deploymentCache.get(key);
          if (!deployment) return undefined;
          const { spec, metadata } = deployment;
          const replicas = spec?.replicas ?? 1;
          const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas };
          const status = { observedGeneration: metadata.generation, ...counts };
          return deploymentClient.patch(key, { status }, { subresource: 'status' });
        },
        { scheduler },
      ),
    )
    .subscribe();
}

export interface DeploymentsOptions {
  /** Until all replicas are ready, in milliseconds (default 1,000). */
  readonly wait?: number;
  readonly namespace?: string | undefined;
}

const exampleWebsites = `
apiVersion: example.com/v1
kind: Website
metadata: { name: shop, namespace: default }
spec: { image: 'nginx:1.29', replicas: 2 }
---
apiVersion: example.com/v1
kind: Website
metadata: { name: blog, namespace: default }
spec: { image: not an image }
`;
