import { stringify } from 'yaml';

export interface KubeConfigObjectCluster {
  readonly server: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
}

/** A kubeconfig of one cluster, one user and one context. */
export interface KubeConfigObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Config';
  readonly clusters: readonly { readonly name: string; readonly cluster: KubeConfigObjectCluster }[];
  readonly users: readonly { readonly name: string; readonly user: { readonly token?: string } }[];
  readonly contexts: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user: string; readonly namespace: string };
  }[];
  readonly 'current-context': string;
}

export function kubeConfigObject(options: {
  readonly url: string;
  readonly ca?: string | undefined;
  readonly token?: string | undefined;
}): KubeConfigObject {
  const { url, ca, token } = options;
  const name = 'rx-informers';
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, ...trust(url, ca) } }],
    users: [{ name, user: token === undefined ? {} : { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  };
}

/** client-node refuses plain HTTP unless the kubeconfig says that there is no TLS to verify. */
function trust(url: string, ca: string | undefined): Omit<KubeConfigObjectCluster, 'server'> {
  if (ca !== undefined) return { 'certificate-authority-data': btoa(ca) };
  return url.startsWith('http:') ? { 'insecure-skip-tls-verify': true } : {};
}

export function kubeConfigYaml(config: KubeConfigObject): string {
  return stringify(config);
}
