import { KubeConfig } from '@kubernetes/client-node';
import { httpTarget, type WireTarget } from './wire-target.js';

/** Returns the API server of a kubeconfig. Requests use no client library. */
export async function realServer(kubeConfigFile: string): Promise<WireTarget> {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(kubeConfigFile);
  const credentials = {};
  await kubeConfig.applyToHTTPSOptions(credentials);
  return httpTarget(kubeConfig.getCurrentCluster()?.server ?? '', credentials);
}
