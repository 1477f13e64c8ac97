import { stringify } from 'yaml';

/** A kubeconfig of one cluster, one user and one context. */
export interface KubeConfigObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Config';
  readonly clusters: readonly { readonly name: string; readonly cluster: { readonly server: string; readonly 'certificate-authority-data'?: string } }[];
  readonly users: readonly { readonly name: string; readonly user: { readonly token?: string } }[];
  readonly contexts: readonly { readonly name: string; readonly context: { readonly cluster: string; readonly user: string; readonly namespace: string } }[];
  readonly 'current-context': string;
}

export function kubeConfigObject(options: { readonly url: string; readonly ca?: string | undefined; readonly token?: string | undefined }): KubeConfigObject {
  const { url, ca, token } = options;
  const name = 'rx-informers';
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, ...(ca === undefined ? {} : { 'certificate-authority-data': btoa(ca) }) } }],
    users: [{ name, user: token === undefined ? {} : { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  };
}

export function kubeConfigYaml(config: KubeConfigObject): string {
  return stringify(config);
}
