import { KubeConfig } from '@kubernetes/client-node';
import { inCluster, type KubeConfigLike } from 'rx-informers/node';
import { createApiServer, type ApiServer, type ApiServerOptions } from 'rx-informers/testing';
import type { Observable } from 'rxjs';
import type { ClusterOptions, WorkloadOptions } from './cluster-options.js';
import { kubeConfigOf } from './kube-config-of.js';

/** The cluster that is shown, and a function to close it. */
export interface LiveCluster {
  readonly title: string;
  readonly kubeConfig: KubeConfigLike;
  close(): Promise<void>;
}

/** The content of the embedded API server, and its changes. */
export interface Scene {
  readonly serverOptions?: ApiServerOptions;
  /** Fills the server, and changes it while there is a subscriber. */
  readonly populate: (server: ApiServer, options: WorkloadOptions) => Observable<unknown>;
}

/**
 * Opens the cluster of the kubeconfig that the options name. If they name none, opens an embedded
 * cluster that changes by itself, or for a team, the cluster of the pod.
 */
export async function openLiveCluster(options: ClusterOptions & WorkloadOptions, scene: Scene): Promise<LiveCluster> {
  const kubeConfig = kubeConfigOf(options);
  if (!kubeConfig) return options.publicUrl === undefined ? embeddedCluster(options, scene) : clusterOfPod();
  return { title: kubeConfig.getCurrentContext(), kubeConfig, close: () => Promise.resolve() };
}

function clusterOfPod(): LiveCluster {
  if (!process.env['KUBERNETES_SERVICE_HOST']) {
    throw new Error('this program does not run in a pod; name the cluster of the team with --context or --kubeconfig');
  }
  return { title: 'the cluster of this pod', kubeConfig: inCluster(), close: () => Promise.resolve() };
}

/**
 * Starts a real HTTP API server in this process, with a workload whose pods are created, changed
 * and deleted.
 */
async function embeddedCluster(
  { nodes, pods, rate }: WorkloadOptions,
  { serverOptions, populate }: Scene,
): Promise<LiveCluster> {
  const server = await createApiServer(serverOptions);
  const running = populate(server, { nodes, pods, rate }).subscribe();
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
