import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { KubeConfigCluster, KubeConfigLike } from './kube-config-like.js';

/** Where the API server is, and everything that makes it believe who asks. */
export interface Credentials {
  readonly server: string;
  /** Headers, authentication and TLS; `agent` only where the cluster is behind a proxy. */
  readonly options: Omit<RequestOptions, 'headers'> & { readonly headers: OutgoingHttpHeaders };
}

/**
 * What asks the kubeconfig for server and credentials, and rejects with what is wrong with them.
 *
 * Callers that come while an answer is awaited share it: twenty informers that start together run an exec plugin once.
 */
export function credentialsReader(kubeConfig: KubeConfigLike): () => Promise<Credentials> {
  let reading: Promise<Credentials> | undefined;
  return () => {
    reading ??= readCredentials(kubeConfig).finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

async function readCredentials(kubeConfig: KubeConfigLike): Promise<Credentials> {
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
