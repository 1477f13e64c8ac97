import {
  createApiServerCore,
  type InMemoryApiServer,
  type InMemoryApiServerOptions,
} from '../api-server/in-memory-api-server.js';
import { generateCertificates, startHttpServer } from './http-server.js';

/** Options of {@link createApiServer}. */
export interface ApiServerOptions extends InMemoryApiServerOptions {
  /** The port. Default 0, which chooses a free port. */
  readonly port?: number | undefined;
  /** Serves HTTPS; the kubeconfig has the new authority. Default false. Needs `selfsigned`. */
  readonly tls?: boolean | undefined;
  /**
   * Offers HTTP/2 in addition to HTTP/1.1. It implies `tls`. Default false. Over HTTP/2, a fault
   * that breaks a connection breaks only the stream of the affected request; other requests on the
   * connection continue.
   */
  readonly http2?: boolean | undefined;
  /** The number of unread events of a client at which its watch is closed; default 1000. */
  readonly maxBacklog?: number | undefined;
}

/** A Kubernetes API server in this process, on a loopback port; see `createApiServer`. */
export interface ApiServer extends InMemoryApiServer {
  /** The certificate authority, as PEM; `undefined` without TLS. */
  readonly ca: string | undefined;
  /** The address of the server, for example `http://127.0.0.1:43211`. */
  readonly url: string;
  /**
   * Returns a kubeconfig for this server as JSON text, which is valid YAML.
   *
   * @param token the token that the kubeconfig contains; default: the first token, if there is one
   */
  kubeconfig(token?: string): string;
  /** For `KubeConfig.loadFromOptions` or `loadFromString(JSON.stringify(…))`. */
  kubeConfigObject(token?: string): KubeConfigObject;
  /** Drops every connection and frees the port. */
  close(): Promise<void>;
}

/**
 * Starts a Kubernetes API server in this process, on a free loopback port. Lists, watches, patches
 * and errors work like those of the real server. Requests take milliseconds, and need no cluster.
 *
 * **Guarantees**: the guarantees of `createInMemoryApiServer`. Events are not buffered for a client
 * that does not read its watch; the server closes the connection of this client.
 *
 * @param options the port, TLS, resources and users; see {@link ApiServerOptions}
 * @returns a server that listens; `close()` ends it
 * @throws `RXI_MISSING_PACKAGE` for `tls` if `selfsigned` is not installed
 * @example
 * const server = await createApiServer();
 * console.log(server.url, server.kubeconfig());
 * await server.close();
 */
export async function createApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const { port = 0, maxBacklog = 1000, http2 = false, tls = http2, ...core } = options;
  const { server, handle, access } = createApiServerCore(core);
  const certificates = tls ? await generateCertificates() : undefined;
  const http = await startHttpServer(handle, { port, maxBacklog, http2, tls: certificates });
  const config = (token = access.tokens()[0]): KubeConfigObject =>
    kubeConfigObject({ url: http.url, ca: certificates?.ca, token });
  return {
    ...server,
    // A spread would copy the current value of this getter.
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

/** The cluster of a kubeconfig, with the field names of its YAML form. */
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

function kubeConfigObject(options: {
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

/** For plain HTTP, disables the verification of TLS: otherwise client-node refuses. */
function trust(url: string, ca: string | undefined): Omit<KubeConfigObjectCluster, 'server'> {
  if (ca !== undefined) return { 'certificate-authority-data': btoa(ca) };
  return url.startsWith('http:') ? { 'insecure-skip-tls-verify': true } : {};
}
