import { KubeConfig } from '@kubernetes/client-node';
import type { KubeClient } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';
import { createApiServer, workload } from 'rx-informers/testing';
import type { Options } from './options.js';

/** The cluster that is looked at, and how to let go of it. */
export interface Cluster {
  readonly title: string;
  readonly client: KubeClient;
  close(): Promise<void>;
}

/** The cluster of the kubeconfig that the options name, or an embedded one that lives on its own. */
export async function openCluster(options: Options): Promise<Cluster> {
  if (options.kubeconfig === undefined && options.context === undefined) return embeddedCluster(options);
  const kubeConfig = new KubeConfig();
  if (options.kubeconfig === undefined) kubeConfig.loadFromDefault();
  else kubeConfig.loadFromFile(options.kubeconfig);
  if (options.context !== undefined) kubeConfig.setCurrentContext(options.context);
  return connect(`pods of ${kubeConfig.getCurrentContext()}`, kubeConfig, () => Promise.resolve());
}

/** A real HTTP API server in this process, and a workload whose pods come, go and change. */
async function embeddedCluster({ nodes, pods, rate }: Options): Promise<Cluster> {
  const server = await createApiServer();
  const running = workload(server, { nodes, pods, rate }).subscribe();
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(server.kubeconfig());
  return connect(
    `embedded API server at ${server.url}: ${nodes} nodes, about ${pods} pods, ${rate} changes/s`,
    kubeConfig,
    async () => {
      running.unsubscribe();
      await server.close();
    },
  );
}

function connect(title: string, kubeConfig: KubeConfig, release: () => Promise<void>): Cluster {
  const client = kubeClient(kubeConfig);
  return {
    title,
    client,
    close: async () => {
      client.close();
      await release();
    },
  };
}
