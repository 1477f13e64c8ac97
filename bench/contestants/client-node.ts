import { CoreV1Api, makeInformer, type KubernetesListObject, type V1Pod } from '@kubernetes/client-node';
import { benchKubeConfig } from './bench-kube-config.js';
import type { ClientOptions, Client } from './client.js';
import { get, readText } from './http.js';

type List = () => Promise<KubernetesListObject<V1Pod>>;

/** `@kubernetes/client-node` as its documentation shows it: each object of the list becomes an instance of a class. */
export function typedClientNode(options: ClientOptions): Client {
  const coreV1Api = benchKubeConfig(options.url).makeApiClient(CoreV1Api);
  return startClientNode(options, () => coreV1Api.listPodForAllNamespaces());
}

/** `@kubernetes/client-node` with a list that gives plain JSON. */
export function rawClientNode(options: ClientOptions): Client {
  return startClientNode(options, async () => {
    const response = await get(`${options.url}/api/v1/pods`);
    return JSON.parse(await readText(response)) as KubernetesListObject<V1Pod>;
  });
}

function startClientNode({ url, listed, updated, emitted }: ClientOptions, list: List): Client {
  const podInformer = makeInformer(benchKubeConfig(url), '/api/v1/pods', async () => {
    const result = await list();
    // By then the informer has taken it over.
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
