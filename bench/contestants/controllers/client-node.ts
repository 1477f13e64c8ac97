import { CoreV1Api, makeInformer, type V1Pod } from '@kubernetes/client-node';
import { benchKubeConfig } from '../bench-kube-config.js';
import { pQueueWithSet } from '../queues/p-queue.js';
import type { StartPodController } from './pod-controller.js';

/** What a program writes without a framework: an informer of client-node and p-queue. */
export const controllerOfClientNode: StartPodController = ({ url, concurrency, reconcile }) => {
  const config = benchKubeConfig(url);
  const api = config.makeApiClient(CoreV1Api);
  const podInformer = makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces());
  const queue = pQueueWithSet({
    concurrency,
    run: (key) => {
      const [namespace, name] = key.split('/') as [string, string];
      return reconcile(podInformer.get(name, namespace));
    },
  });
  const changed = ({ metadata }: V1Pod): void => queue.add(`${metadata?.namespace}/${metadata?.name}`);
  podInformer.on('error', (error: unknown) => {
    throw error;
  });
  podInformer.on('add', changed);
  podInformer.on('update', changed);
  podInformer.on('delete', changed);
  return { synced: podInformer.start(), stop: () => void podInformer.stop() };
};
