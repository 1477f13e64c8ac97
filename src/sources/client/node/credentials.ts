import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { KubeConfigCluster, KubeConfigLike } from './kube-config-like.js';

/** Where the API server is, and everything that makes it believe who asks. */
export interface KubeCredentials {
  /** For example `https://10.0.0.1:6443`, or with a path below which the API is. */
  readonly server: string;
  /** For `request` of `node:https`, or `node:http`: authentication and TLS; `agent` only where the cluster is behind a proxy. */
  readonly options: Omit<RequestOptions, 'headers'> & { readonly headers: OutgoingHttpHeaders };
}

/**
 * What asks a kubeconfig for server and credentials, for requests that `kubeClient` does not make: a proxy, `/metrics`, a WebSocket.
 *
 * **Guarantees**: asked anew for each request, so that a rotated token or certificate is used at once; who asks while an answer is
 * awaited shares it, so that an exec plugin runs once for twenty requests that begin together; rejects where the kubeconfig is
 * incomplete or malformed, and after a failure asks again; TLS is verified unless the cluster says `insecure-skip-tls-verify`, and
 * the CA of the cluster is trusted also where the context has no user; names of headers are in lower case.
 * **Does not guarantee**: that a certificate or header can be used: `request` itself throws where it cannot.
 *
 * @example
 * import { request } from 'node:https';
 * import { KubeConfig } from '@kubernetes/client-node';
 * import { kubeCredentials } from 'rx-informers/node';
 *
 * const kubeConfig = new KubeConfig();
 * kubeConfig.loadFromDefault();
 * const readCredentials = kubeCredentials(kubeConfig);
 *
 * const { server, options } = await readCredentials();
 * request(`${server}/metrics`, options, (answer) => answer.pipe(process.stdout)).end();
 */
export function kubeCredentials(kubeConfig: KubeConfigLike): () => Promise<KubeCredentials> {
  let reading: Promise<KubeCredentials> | undefined;
  return () => {
    reading ??= readCredentials(kubeConfig).finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

async function readCredentials(kubeConfig: KubeConfigLike): Promise<KubeCredentials> {
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null) {
    throw new Error(
      'the kubeconfig has no current cluster: set its current-context to a context whose cluster is in it',
    );
  }
  const { server, proxyUrl } = cluster;
  refuseOtherProtocols(server);
  // The kubeconfig applies none of these where the context has no user. What it does apply it writes over them.
  const options: RequestOptions = clusterOptions(cluster);
  await kubeConfig.applyToHTTPSOptions(options);
  const { agent, headers, ...rest } = options;
  const trimmed = { ...rest, headers: trimmedHeaders((headers ?? {}) as OutgoingHttpHeaders) };
  return { server, options: proxyUrl && agent !== undefined ? { ...trimmed, agent } : trimmed };
}

function refuseOtherProtocols(server: string): void {
  const { protocol } = URL.canParse(server) ? new URL(server) : { protocol: '' };
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new Error(`the server of the current cluster is no http or https URL: ${JSON.stringify(server)}`);
  }
}

function clusterOptions({ caFile, caData, skipTLSVerify, tlsServerName }: KubeConfigCluster): RequestOptions {
  const ca = caFile ? readFileSync(caFile) : caData ? Buffer.from(caData, 'base64') : undefined;
  return {
    headers: {},
    ...(ca && { ca }),
    ...(skipTLSVerify && { rejectUnauthorized: false }),
    ...(tlsServerName && { servername: tlsServerName }),
  };
}

/** A token file often ends with a newline, and a newline is not allowed in a header. */
function trimmedHeaders(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'string' ? value.trim() : value,
    ]),
  );
}
