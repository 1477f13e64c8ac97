import { KubeConfig } from '@kubernetes/client-node';
import { indexByNode, informer, listWatch, pods } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';

const podInformer = informer(listWatch(kubeClient(new KubeConfig()), pods), { indexers: { node: indexByNode } });

export const names: readonly string[] = podInformer.byIndex('node', 'n1').map(({ metadata }) => metadata.name);

// @ts-expect-error no index has this name
podInformer.byIndex$('nodde', 'n1');

// @ts-expect-error a pod has no such field
podInformer.list().map(({ spec }) => spec?.noSuchField);
