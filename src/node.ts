// The entry for Node: the client for a kubeconfig, its credentials, and the manager that runs
// controllers.
export { consoleLogger } from './manager/console-logger.js';
export type { ConsoleLoggerOptions } from './manager/console-logger.js';
export type { Logger } from './requests/logger.js';
export { contexts$ } from './sources/client/node/contexts.js';
export type { ContextsOptions, KubeConfigClass, KubeContext, KubeContexts } from './sources/client/node/contexts.js';
export { kubeCredentials } from './sources/client/node/credentials.js';
export type {
  CredentialsOptions,
  KubeCredentials,
  KubeConfigCluster,
  KubeConfigLike,
  KubeConfigUser,
} from './sources/client/node/credentials.js';
export { inCluster } from './sources/client/node/in-cluster.js';
export type { InClusterConfig } from './sources/client/node/in-cluster.js';
export { kubeClient } from './sources/client/node/kube-client.js';
export type { KubeClientOptions, NodeKubeClient } from './sources/client/node/kube-client.js';
export { manager } from './manager/manager.js';
export type { Manager } from './manager/manager.js';

export type { ManagerEvent } from './manager/manager-event.js';
export type { Closeable, HealthOptions, ManagerOptions, MetricsSource } from './manager/manager-options.js';
