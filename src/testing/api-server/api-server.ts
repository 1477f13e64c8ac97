import { createApiServerCore, type InMemoryApiServer, type InMemoryApiServerOptions } from './in-memory-api-server.js';
import { generateCertificates, startHttpServer } from './serving/http-server.js';

export interface ApiServerOptions extends InMemoryApiServerOptions {
  /** Default 0: a free port. */
  readonly port?: number | undefined;
  /**
   * Whether to serve HTTPS, with a certificate of a new authority that the kubeconfig contains; default false. Needs the package
   * `selfsigned`.
   */
  readonly tls?: boolean | undefined;
  /** A watch is closed if its client has this many unread events; default 1000. */
  readonly maxBacklog?: number | undefined;
}

/** A Kubernetes API server in this process, on a loopback port; see `createApiServer`. */
export interface ApiServer extends InMemoryApiServer {
  /** The authority behind the certificate, as PEM; undefined without TLS. */
  readonly ca: string | undefined;
  /** For example `http://127.0.0.1:43211`. */
  readonly url: string;
  /**
   * A kubeconfig for this server as text: JSON, which every reader of YAML accepts.
   *
   * @param token the token in it; default: the first token, if any
   */
  kubeconfig(token?: string): string;
  /**
   * The kubeconfig as an object, for `KubeConfig.loadFromOptions` or
   * `loadFromString(JSON.stringify(…))`.
   */
  kubeConfigObject(token?: string): KubeConfigObject;
  /** Drops every connection and frees the port. */
  close(): Promise<void>;
}

/**
 * Starts a Kubernetes API server in this process, on a free loopback port. Lists, watches, patches and errors are those of the
 * real server, within milliseconds and without a cluster.
 *
 * **Guarantees**: those of `createInMemoryApiServer`; the connection of a client that does not read its watch is closed, its
 * events are not buffered.
 *
 * @throws MissingPackageError for `tls` if `selfsigned` is not installed
 *
 * @example
 * const server = await createApiServer();
 * console.log(server.url, server.kubeconfig());
 * await server.close();
 */
export async function createApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const { port = 0, maxBacklog = 1000, tls = false, ...core } = options;
  const { server, handle, access } = createApiServerCore(core);
  const certificates = tls ? await generateCertificates() : undefined;
  const http = await startHttpServer(handle, { port, maxBacklog, tls: certificates });
  const config = (token = access.tokens()[0]): KubeConfigObject =>
    kubeConfigObject({ url: http.url, ca: certificates?.ca, token });
  return {
    ...server,
    // A getter would be copied as the value it has now.
    get resourceVersion() {
      return server.resourceVersion;
    },
    url: http.url,
    ca: certificates?.ca,
    kubeconfig: (token) => JSON.stringify(config(token), undefined, 2),
    kubeConfigObject: config,
    close: () => {
      server.stop();
      return http.close();
    },
  };
}

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

/** client-node refuses plain HTTP unless the kubeconfig disables the verification of TLS. */
function trust(url: string, ca: string | undefined): Omit<KubeConfigObjectCluster, 'server'> {
  if (ca !== undefined) return { 'certificate-authority-data': btoa(ca) };
  return url.startsWith('http:') ? { 'insecure-skip-tls-verify': true } : {};
}
