import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { KubeConfigCluster, KubeConfigLike } from 'rx-informers/node';

/** Where the API server is, and everything that makes it believe who asks. It stays on this side of the proxy. */
export interface Upstream {
  readonly server: URL;
  /** Authentication and TLS; `agent` only where the cluster is behind a proxy of its own. */
  readonly options: RequestOptions;
  readonly headers: OutgoingHttpHeaders;
}

/**
 * What asks the kubeconfig for server and credentials, for each request anew: a rotated token is used at once.
 *
 * Requests that come while an answer is awaited share it: a page that opens six watches runs an exec plugin once.
 */
export function upstreamReader(kubeConfig: KubeConfigLike): () => Promise<Upstream> {
  let reading: Promise<Upstream> | undefined;
  return () => {
    reading ??= readUpstream(kubeConfig).finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

async function readUpstream(kubeConfig: KubeConfigLike): Promise<Upstream> {
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig has no current cluster');
  const given: RequestOptions = { headers: {}, ...trust(cluster) };
  await kubeConfig.applyToHTTPSOptions(given);
  const { agent, headers, ...options } = given;
  return {
    server: new URL(cluster.server),
    options: cluster.proxyUrl && agent !== undefined ? { ...options, agent } : options,
    headers: trimmed((headers ?? {}) as OutgoingHttpHeaders),
  };
}

/** client-node applies these only where the context has a user. */
function trust({ caFile, caData, skipTLSVerify, tlsServerName }: KubeConfigCluster): RequestOptions {
  const ca = caFile ? readFileSync(caFile) : caData ? Buffer.from(caData, 'base64') : undefined;
  return {
    ...(ca && { ca }),
    ...(skipTLSVerify && { rejectUnauthorized: false }),
    ...(tlsServerName && { servername: tlsServerName }),
  };
}

/** A token file often ends with a newline, and a newline is not allowed in a header. */
function trimmed(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'string' ? value.trim() : value,
    ]),
  );
}
