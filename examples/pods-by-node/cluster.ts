import { KubeConfig } from '@kubernetes/client-node';
import { createApiServer, workload } from 'rx-informers/testing';
import type { Options } from './options.js';

/** The cluster that is shown, and a function to close it. */
export interface Cluster {
  readonly title: string;
  readonly kubeConfig: KubeConfig;
  close(): Promise<void>;
}

/** The options that choose the cluster, and that size an embedded one. */
export type ClusterOptions = Pick<Options, 'kubeconfig' | 'context' | 'nodes' | 'pods' | 'rate'>;

/**
 * Opens the cluster of the kubeconfig that the options name. If they name none, opens an embedded
 * cluster that changes by itself.
 */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const kubeConfig = kubeConfigOf(options);
  if (!kubeConfig) return embeddedCluster(options);
  return { title: kubeConfig.getCurrentContext(), kubeConfig, close: () => Promise.resolve() };
}

/**
 * Starts a real HTTP API server in this process, with a workload whose pods are created, changed
 * and deleted.
 */
async function embeddedCluster({ nodes, pods, rate }: ClusterOptions): Promise<Cluster> {
  const server = await createApiServer();
  const running = workload(server, { nodes, pods, rate }).subscribe();
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(server.kubeconfig());
  return {
    title: `an embedded API server at ${server.url}: ${nodes} nodes, about ${pods} pods, ${rate} changes/s`,
    kubeConfig,
    close: async () => {
      running.unsubscribe();
      await server.close();
    },
  };
}

/**
 * Returns the kubeconfig that the options name, with their context as the current one. Returns
 * `undefined` if they name neither.
 */
function kubeConfigOf({ kubeconfig, context }: ClusterOptions): KubeConfig | undefined {
  if (kubeconfig === undefined && context === undefined) return undefined;
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
