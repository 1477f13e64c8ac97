import type { KubeConfig } from '@kubernetes/client-node';
import { readFileSync } from 'node:fs';
import { deployments, filterUpdates, generationChanged, informer, type KubeClient } from 'rx-informers';
import { changedKeys, workqueue } from 'rx-informers/controller';
import { inCluster, kubeClient } from 'rx-informers/node';
import { resourceClient } from 'rx-informers/requests';
import { delay, type Subscription } from 'rxjs';
import type { Options } from './options.js';

/** The CustomResourceDefinition, as `kubectl apply -f` accepts it. */
export const websiteDefinition = readFileSync(new URL('website-crd.yaml', import.meta.url), 'utf8');

/** The cluster of the operator, and a function to close it. */
export interface Cluster {
  readonly title: string;
  readonly client: KubeClient;
  close(): Promise<void>;
}

/** The options that choose a cluster. */
type ClusterOptions = Pick<Options, 'kubeconfig' | 'context' | 'inCluster'>;

/**
 * Opens the cluster of the pod, the cluster of the kubeconfig that the options name, or an embedded
 * one with two websites. A pod needs neither `@kubernetes/client-node` nor the embedded server, so
 * both are imported where they are used.
 */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const kubeConfig = options.inCluster === true ? inCluster() : await kubeConfigOf(options);
  if (!kubeConfig) return embeddedCluster();
  const client = kubeClient(kubeConfig);
  return {
    title: kubeConfig.currentContext ?? 'the cluster of this pod',
    client,
    close: () => {
      client.close();
      return Promise.resolve();
    },
  };
}

/**
 * Returns the kubeconfig that the options name, with their context as the current one. Returns
 * `undefined` if they name neither.
 */
async function kubeConfigOf({ kubeconfig, context }: ClusterOptions): Promise<KubeConfig | undefined> {
  if (kubeconfig === undefined && context === undefined) return undefined;
  const { KubeConfig } = await import('@kubernetes/client-node');
  const kubeConfig = new KubeConfig();
  if (kubeconfig === undefined) kubeConfig.loadFromDefault();
  else kubeConfig.loadFromFile(kubeconfig);
  if (context !== undefined) kubeConfig.setCurrentContext(context);
  if (kubeConfig.getCurrentCluster() !== null) return kubeConfig;
  const known = kubeConfig.getContexts().map(({ name }) => name);
  throw new Error(
    `the kubeconfig has no cluster for the context ${JSON.stringify(kubeConfig.getCurrentContext())}; it has: ${known.join(', ')}`,
  );
}

async function embeddedCluster(): Promise<Cluster> {
  const [{ KubeConfig }, { createApiServer }] = await Promise.all([
    import('@kubernetes/client-node'),
    import('rx-informers/testing'),
  ]);
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

/**
 * Simulates the controllers and kubelets of a real cluster: all replicas of a Deployment are ready
 * one second after its change.
 */
export function startDeployments(
  client: KubeClient,
  { wait = 1_000, namespace }: DeploymentsOptions = {},
): Subscription {
  const { scheduler } = client;
  // `linger: 0` ends the watch with the subscription, because the API server closes next.
  const deploymentCache = informer(client, deployments, { namespace, linger: 0 });
  const deploymentClient = resourceClient(client, deployments, { fieldManager: 'deployment-controller' });
  return deploymentCache.changes$
    .pipe(
      filterUpdates(generationChanged),
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
  /** Milliseconds until all replicas are ready; default: 1,000. */
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
