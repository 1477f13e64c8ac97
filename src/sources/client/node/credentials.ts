import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { KubeConfigCluster, KubeConfigLike } from './kube-config-like.js';

/** Where the API server is, and everything that makes it believe who asks. */
export interface Credentials {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Headers, authentication and TLS; `agent` only where the cluster is behind a proxy. */
  readonly options: RequestOptions & { readonly headers: OutgoingHttpHeaders };
}

/** Asks the kubeconfig for server and credentials; rejects with what is wrong with them. */
export async function readCredentials(kubeConfig: KubeConfigLike): Promise<Credentials> {
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null) {
    throw new Error(
      'the kubeconfig has no current cluster: set its current-context to a context whose cluster is in it',
    );
  }
  const baseUrl = baseUrlOf(cluster);
  // The kubeconfig applies none of these where the context has no user. What it does apply it writes over them.
  const options: RequestOptions = clusterOptions(cluster);
  await kubeConfig.applyToHTTPSOptions(options);
  const { agent, headers, ...rest } = options;
  const trimmed = { ...rest, headers: trimmedHeaders((headers ?? {}) as OutgoingHttpHeaders) };
  return { baseUrl, options: cluster.proxyUrl && agent !== undefined ? { ...trimmed, agent } : trimmed };
}

function baseUrlOf({ server }: KubeConfigCluster): string {
  const { protocol } = URL.canParse(server) ? new URL(server) : { protocol: '' };
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new Error(`the server of the current cluster is no http or https URL: ${JSON.stringify(server)}`);
  }
  return server.replace(/\/+$/, '');
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
