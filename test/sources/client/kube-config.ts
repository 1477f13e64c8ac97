import { KubeConfig, type Cluster, type User } from '@kubernetes/client-node';

/** Returns a real kubeconfig with one cluster and one user. */
export function kubeConfigOf(
  cluster: Partial<Cluster> & { readonly server: string },
  user: Partial<User> = {},
): KubeConfig {
  const kubeConfig = new KubeConfig();
  const skipTLSVerify = cluster.server.startsWith('http:');
  kubeConfig.loadFromClusterAndUser({ name: 'test', skipTLSVerify, ...cluster }, { name: 'tester', ...user });
  return kubeConfig;
}
