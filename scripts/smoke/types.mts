import { KubeConfig } from '@kubernetes/client-node';
import { indexByNode, informer, listWatch, pods } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';

const podInformer = informer(listWatch(kubeClient(new KubeConfig()), pods), { indexers: { node: indexByNode } });

export const names: readonly string[] = podInformer.byIndex('node', 'n1').map(({ metadata }) => metadata.name);

// @ts-expect-error the index names are known
podInformer.byIndex$('nodde', 'n1');

// @ts-expect-error so is the type of the objects
podInformer.list().map(({ spec }) => spec?.noSuchField);
