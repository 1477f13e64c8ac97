import type { RequestOptions } from 'node:https';

/** What `kubeClient` needs of a `KubeConfig` of `@kubernetes/client-node`, 1.4 or 2; anything else of this shape will do. */
export interface KubeConfigLike {
  /** The cluster of the current context; `null` where there is none. */
  getCurrentCluster(): KubeConfigCluster | null;
  /** Fills in headers, certificates and the agent of the current user. */
  applyToHTTPSOptions(options: RequestOptions): Promise<void>;
  /** The user of the current context. Read for error messages only. */
  getCurrentUser?(): KubeConfigUser | null;
}

export interface KubeConfigUser {
  readonly name: string;
  /** An exec plugin, for example `{ command: 'aws' }`. */
  readonly exec?: unknown;
  /** An auth provider, for example `{ name: 'oidc' }`. */
  readonly authProvider?: unknown;
}

export interface KubeConfigCluster {
  /** For example `https://10.0.0.1:6443`, or `https://rancher.example.com/k8s/clusters/c-1` with a path. */
  readonly server: string;
  /** Base64. */
  readonly caData?: string | undefined;
  readonly caFile?: string | undefined;
  readonly skipTLSVerify?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
  readonly proxyUrl?: string | undefined;
}
