import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import type { RequestOptions } from 'node:https';
import {
  asyncScheduler,
  defer,
  finalize,
  firstValueFrom,
  from,
  ReplaySubject,
  share,
  throwError,
  timeout,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { longestTimer } from '../../../time/clock.js';
import { InvalidOptionError } from '../../model/errors.js';

/** Where the API server is, and everything that makes it believe who asks. */
export interface KubeCredentials {
  /** For example `https://10.0.0.1:6443`, or with a path below which the API is. */
  readonly server: string;
  /** For `request` of `node:https`, or `node:http`: authentication and TLS; `agent` only where the cluster is behind a proxy. */
  readonly options: Omit<RequestOptions, 'headers'> & { readonly headers: OutgoingHttpHeaders };
}

export interface CredentialsOptions {
  /**
   * How long one read of the credentials may take, in milliseconds, before it fails. Default 30,000: shorter than the `openTimeout`
   * of `listWatch`, so that an informer reports the plugin that hangs and not a silent server. If this is shorter than an exec plugin
   * needs, no request succeeds; raise it for a plugin that asks a person to log in. At most 2,147,483,647.
   */
  readonly credentialsTimeout?: number | undefined;
  /** The clock of the client and of everything that uses it. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Reads server and credentials from a kubeconfig, for requests that `kubeClient` does not make: a proxy, `/metrics`, a WebSocket.
 *
 * **Guarantees**: reads again for each call, so a rotated token or certificate is used at once. Calls made while a read is pending
 * share it, so an exec plugin runs once for twenty requests that begin together. A read that takes longer than `credentialsTimeout`
 * rejects, and the next call reads again. Rejects if the kubeconfig is incomplete or malformed. TLS is verified unless the cluster
 * says `insecure-skip-tls-verify`, and the CA of the cluster is trusted also if the context has no user. Header names are in lower case.
 * **Does not guarantee**: that a certificate or header can be used: `request` itself throws if it cannot. An exec plugin that hangs
 * is not killed, because a kubeconfig offers no way to do so.
 *
 * @throws InvalidOptionError for a `credentialsTimeout` that no timer can wait for
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
export function kubeCredentials(
  kubeConfig: KubeConfigLike,
  options?: CredentialsOptions,
): () => Promise<KubeCredentials> {
  const credentials$ = credentialsOf(kubeConfig, options);
  return () => firstValueFrom(credentials$);
}

/**
 * Reads the credentials for each subscriber. Subscribers that arrive while a read is pending share it.
 *
 * A read is no longer shared once one of its subscribers has left: it may hang, and the attempt that follows one that was given up
 * must not be bound to the same read.
 */
export function credentialsOf(
  kubeConfig: KubeConfigLike,
  { credentialsTimeout = 30_000, scheduler = asyncScheduler }: CredentialsOptions = {},
): Observable<KubeCredentials> {
  if (!(credentialsTimeout > 0 && credentialsTimeout <= longestTimer)) {
    throw new InvalidOptionError(
      'credentialsTimeout',
      credentialsTimeout,
      'milliseconds a timer can wait for, more than 0,',
    );
  }
  let pending$: Observable<KubeCredentials> | undefined;

  function beginRead(): Observable<KubeCredentials> {
    return from(readCredentials(kubeConfig)).pipe(
      timeout({
        first: credentialsTimeout,
        scheduler,
        with: () =>
          throwError(() => new Error(`${subjectOf(kubeConfig)} has not answered for ${credentialsTimeout} ms`)),
      }),
      // A subscriber that arrives while the others are notified gets the value too.
      share({ connector: () => new ReplaySubject(1) }),
    );
  }

  return defer(() => {
    const read$ = (pending$ ??= beginRead());
    return read$.pipe(
      finalize(() => {
        if (pending$ === read$) pending$ = undefined;
      }),
    );
  });
}

/** Names what provides the credentials, for an error message: `exec plugin "aws" of user "ada"`. */
function subjectOf(kubeConfig: KubeConfigLike): string {
  const user = kubeConfig.getCurrentUser?.();
  if (user === undefined || user === null) return 'the kubeconfig';
  const { command } = (user.exec ?? {}) as { readonly command?: unknown };
  if (command !== undefined) return `exec plugin ${JSON.stringify(command)} of user ${JSON.stringify(user.name)}`;
  const { name } = (user.authProvider ?? {}) as { readonly name?: unknown };
  const provider = name === undefined ? 'the kubeconfig' : `auth provider ${JSON.stringify(name)}`;
  return `${provider} of user ${JSON.stringify(user.name)}`;
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
