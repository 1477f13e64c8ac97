import { createApiServerCore, type InMemoryApiServer, type InMemoryApiServerOptions } from './in-memory-api-server.js';
import { generateCertificates } from './serving/certificates.js';
import { startHttpServer } from './serving/http-server.js';
import { kubeConfigObject, kubeConfigYaml, type KubeConfigObject } from './serving/kubeconfig.js';

export interface ApiServerOptions extends InMemoryApiServerOptions {
  /** Default 0: a free port. */
  readonly port?: number | undefined;
  /** Whether to serve HTTPS, with a certificate of a new authority that the kubeconfig carries; default false. */
  readonly tls?: boolean | undefined;
  /** A watch whose client has this many events still to read is cut off; default 1000. */
  readonly maxBacklog?: number | undefined;
}

/** A Kubernetes API server in this process, on a loopback port; see `createApiServer`. */
export interface ApiServer extends InMemoryApiServer {
  /** The authority behind the certificate, as PEM; undefined without TLS. */
  readonly ca: string | undefined;
  /** For example `http://127.0.0.1:43211`. */
  readonly url: string;
  /**
   * A kubeconfig for this server, as YAML.
   *
   * @param token whose rights it carries; default: the first token there is, if any
   */
  kubeconfig(token?: string): string;
  /** The same as an object, for `KubeConfig.loadFromOptions` or `loadFromString(JSON.stringify(…))`. */
  kubeConfigObject(token?: string): KubeConfigObject;
  /** Drops every connection and frees the port. */
  close(): Promise<void>;
}

/**
 * Starts a Kubernetes API server in this process, on a free loopback port: lists, watches, patches and errors as the
 * real one's, within milliseconds and without a cluster.
 *
 * **Guarantees**: those of `createInMemoryApiServer`; a client that does not read its watch is cut off instead of
 * buffered for.
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
    kubeconfig: (token) => kubeConfigYaml(config(token)),
    kubeConfigObject: config,
    close: () => {
      server.stop();
      return http.close();
    },
  };
}
