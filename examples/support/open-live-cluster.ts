import { KubeConfig } from '@kubernetes/client-node';
import { createApiServer, workload } from 'rx-informers/testing';
import type { ClusterOptions, WorkloadOptions } from './cluster-options.js';
import { kubeConfigOf } from './kube-config-of.js';

/** The cluster that is shown, and how to let go of it. */
export interface LiveCluster {
  readonly title: string;
  readonly kubeConfig: KubeConfig;
  close(): Promise<void>;
}

/** The cluster of the kubeconfig that the options name, or an embedded one that lives on its own. */
export async function openLiveCluster(options: ClusterOptions & WorkloadOptions): Promise<LiveCluster> {
  const kubeConfig = kubeConfigOf(options);
  if (!kubeConfig) return embeddedCluster(options);
  return { title: kubeConfig.getCurrentContext(), kubeConfig, close: () => Promise.resolve() };
}

/** A real HTTP API server in this process, and a workload whose pods come, go and change. */
async function embeddedCluster({ nodes, pods, rate }: WorkloadOptions): Promise<LiveCluster> {
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
