import { KubeConfig } from '@kubernetes/client-node';
import { createApiServer, workload } from 'rx-informers/testing';
import type { Options } from './options.js';

/** The cluster that is shown, and how to let go of it. */
export interface Cluster {
  readonly title: string;
  readonly kubeConfig: KubeConfig;
  close(): Promise<void>;
}

export type ClusterOptions = Pick<Options, 'kubeconfig' | 'context' | 'nodes' | 'pods' | 'rate'>;

/** The cluster of the kubeconfig that the options name, or an embedded one that lives on its own. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  if (options.kubeconfig === undefined && options.context === undefined) return embeddedCluster(options);
  const kubeConfig = new KubeConfig();
  if (options.kubeconfig === undefined) kubeConfig.loadFromDefault();
  else kubeConfig.loadFromFile(options.kubeconfig);
  if (options.context !== undefined) kubeConfig.setCurrentContext(options.context);
  const context = kubeConfig.getCurrentContext();
  if (kubeConfig.getCurrentCluster() === null) {
    const known = kubeConfig.getContexts().map(({ name }) => name);
    throw new Error(
      `the kubeconfig has no cluster for the context ${JSON.stringify(context)}; it has: ${known.join(', ')}`,
    );
  }
  return { title: context, kubeConfig, close: () => Promise.resolve() };
}

/** A real HTTP API server in this process, and a workload whose pods come, go and change. */
async function embeddedCluster({ nodes, pods, rate }: ClusterOptions): Promise<Cluster> {
  const server = await createApiServer();
  const running = workload(server, { nodes, pods, rate }).subscribe();
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(server.kubeconfig());
  return {
    title: `an embedded API server with ${nodes} nodes, about ${pods} pods and ${rate} changes/s`,
    kubeConfig,
    close: async () => {
      running.unsubscribe();
      await server.close();
    },
  };
}
