import { KubeConfig, type V1PodDisruptionBudget, type V1Service } from '@kubernetes/client-node';
import { indexByNode, informer, listWatch, pods } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';

const podInformer = informer(listWatch(kubeClient(new KubeConfig()), pods), { indexers: { node: indexByNode } });

export const names: readonly string[] = podInformer.byIndex('node', 'n1').map(({ metadata }) => metadata.name);

declare const budget: V1PodDisruptionBudget;
podInformer.list$(budget.spec?.selector);

declare const service: V1Service;
// @ts-expect-error the selector of a Service is a map of labels
podInformer.list$(service.spec?.selector);

// @ts-expect-error no index has this name
podInformer.byIndex$('nodde', 'n1');

// @ts-expect-error a pod has no such field
podInformer.list().map(({ spec }) => spec?.noSuchField);
