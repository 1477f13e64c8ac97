// What needs Node: the client for a kubeconfig.
export { kubeClient } from './sources/client/node/kube-client.js';
export type { KubeClientOptions, NodeKubeClient } from './sources/client/node/kube-client.js';
export type { KubeConfigCluster, KubeConfigLike } from './sources/client/node/kube-config-like.js';
