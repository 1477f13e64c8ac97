import { KubeConfig } from '@kubernetes/client-node';
import type { ClusterOptions } from './cluster-options.js';

/**
 * Returns the kubeconfig that the options name, with their context as the current one. Returns
 * `undefined` if they name neither.
 */
export function kubeConfigOf({ kubeconfig, context }: ClusterOptions): KubeConfig | undefined {
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
