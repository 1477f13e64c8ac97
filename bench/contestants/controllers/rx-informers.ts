import { informer, listWatch, pods } from 'rx-informers';
import { controller } from 'rx-informers/controller';
import { kubeClient } from 'rx-informers/node';
import { benchKubeConfig } from '../bench-kube-config.js';
import type { StartPodController } from './pod-controller.js';

/** A controller of this library, with its defaults. */
export const controllerOfRxInformers: StartPodController = ({ url, concurrency, reconcile }) => {
  const podInformer = informer(listWatch(kubeClient(benchKubeConfig(url)), pods, { initialList: 'pages' }));
  const running = controller({
    name: 'bench',
    for: podInformer,
    concurrency,
    reconcile: ({ object }) => reconcile(object),
  }).subscribe();
  return {
    synced: podInformer.whenSynced().then(() => undefined),
    stop: () => {
      running.unsubscribe();
      podInformer.stop();
    },
  };
};
