import { KubeConfig } from '@kubernetes/client-node';

export function benchKubeConfig(server: string): KubeConfig {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromClusterAndUser({ name: 'bench', server, skipTLSVerify: true }, { name: 'bench' });
  return kubeConfig;
}
