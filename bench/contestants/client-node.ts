import { CoreV1Api, makeInformer, type KubernetesListObject, type V1Pod } from '@kubernetes/client-node';
import { benchKubeConfig } from './bench-kube-config.js';
import type { ClientOptions, Client } from './client.js';
import { get, readText } from './http.js';

type List = () => Promise<KubernetesListObject<V1Pod>>;

/**
 * Uses `@kubernetes/client-node` as its documentation shows: each object of the list becomes an
 * instance of a class.
 */
export function typedClientNode(options: ClientOptions): Client {
  const coreV1Api = benchKubeConfig(options.url).makeApiClient(CoreV1Api);
  return startClientNode(options, () => coreV1Api.listPodForAllNamespaces());
}

/** Uses `@kubernetes/client-node` with a list that returns plain JSON. */
export function rawClientNode(options: ClientOptions): Client {
  return startClientNode(options, async () => {
    const response = await get(`${options.url}/api/v1/pods`);
    return JSON.parse(await readText(response)) as KubernetesListObject<V1Pod>;
  });
}

function startClientNode({ url, listed, updated, emitted }: ClientOptions, list: List): Client {
  const podInformer = makeInformer(benchKubeConfig(url), '/api/v1/pods', async () => {
    const result = await list();
    // When the callback of `setImmediate` runs, the informer has processed the list.
    if (listed !== undefined) setImmediate(listed);
    return result;
  });
  podInformer.on('error', (error: unknown) => {
    throw error;
  });
  if (updated !== undefined) podInformer.on('update', updated);
  if (emitted !== undefined) podInformer.on('change', emitted);
  return {
    synced: podInformer.start(),
    stop: () => void podInformer.stop(),
  };
}
