import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import type { RequestOptions } from 'node:https';
import {
  asyncScheduler,
  defer,
  finalize,
  firstValueFrom,
  from,
  map,
  ReplaySubject,
  share,
  throwError,
  timeout,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { messageOf, invalidOptionError } from '../../../kubernetes/errors.js';
import { maxTimer } from '../../../scheduling/clock.js';
import { environmentProxies, forwarding, proxyUrl, TunnelAgent } from './proxy.js';

/** The address of the API server, and the options for authentication and TLS. */
export interface KubeCredentials {
  /** The address, for example `https://10.0.0.1:6443`; it may have a path. */
  readonly server: string;
  /**
   * Authentication and TLS. Behind a proxy, `agent` is set if the server has TLS. If it has none,
   * `hostname` and `port` are those of the proxy, and the path of a request must be a whole URL.
   */
  readonly options: Omit<RequestOptions, 'headers'> & { readonly headers: OutgoingHttpHeaders };
}

/** Options of {@link kubeCredentials}. */
export interface CredentialsOptions {
  /**
   * Uses the proxy of `HTTPS_PROXY` or `HTTP_PROXY`, except for the hosts in `NO_PROXY`, by the
   * rules of kubectl. Default true. The variables are read once. A kubeconfig with `proxy-url` uses
   * that proxy instead. Loopback addresses use no proxy.
   */
  readonly environmentProxy?: boolean | undefined;
  /**
   * The timeout for reading the credentials, in milliseconds. Default 30,000. That is shorter than
   * the 60 s that `listWatch` waits for a response, so that an informer reports a hanging plugin
   * instead of a silent server. If this is shorter than an exec plugin needs, no request succeeds.
   * Raise it for a plugin that asks a person to log in. At most 2,147,483,647.
   */
  readonly credentialsTimeout?: number | undefined;
  /** The clock of the client and of everything that uses it. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Creates a function that reads server and credentials from a kubeconfig. Use it for requests that
 * `kubeClient` does not make: a proxy, `/metrics`, a WebSocket.
 *
 * **Guarantees**: each call reads again, so a rotated token or certificate is used at once. Calls
 * during a pending read share it, so an exec plugin runs once for twenty requests that begin
 * together. A read that takes longer than `credentialsTimeout` rejects, and the next call reads
 * again. Rejects if the kubeconfig is incomplete or malformed. TLS is verified unless the cluster
 * has `insecure-skip-tls-verify`. The CA of the cluster is trusted even if the context has no user.
 * Header names are in lower case.
 * **Does not guarantee**: that the certificate and the headers are valid; if not, `request` throws.
 * A hanging exec plugin is not killed, because `KubeConfig` has no method for that.
 *
 * @param kubeConfig a `KubeConfig` of `@kubernetes/client-node`; each call uses its current context
 * @param options how long one read may take
 * @returns a function that reads the credentials at each call
 * @throws `RXI_INVALID_OPTION` if `credentialsTimeout` is not above 0 or is longer than a timer
 *   supports
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
  const { credentials$ } = credentialsOf(kubeConfig, options);
  return () => firstValueFrom(credentials$.pipe(map(({ credentials }) => credentials)));
}

/** Credentials, and the number of renewals before they were read. */
interface ReadCredentials {
  readonly credentials: KubeCredentials;
  readonly renewals: number;
}

/** Reads the credentials of one client. */
export interface CredentialsReader {
  /** Reads the credentials for each subscriber. */
  readonly credentials$: Observable<ReadCredentials>;
  /**
   * Makes the next read ask for new credentials, because the server has refused these ones (401). A
   * token may be revoked before it expires.
   */
  renew(refused: ReadCredentials): void;
  /** Closes the connections through proxies. */
  close(): void;
}

/**
 * Reads the credentials. Subscribers that arrive while a read is pending share it, until one
 * leaves: the read may hang, and a new attempt after a timeout must not wait for it.
 */
export function credentialsOf(
  kubeConfig: KubeConfigLike,
  { credentialsTimeout = 30_000, scheduler = asyncScheduler, environmentProxy = true }: CredentialsOptions = {},
): CredentialsReader {
  if (!(credentialsTimeout > 0 && credentialsTimeout <= maxTimer)) {
    throw invalidOptionError('credentialsTimeout', credentialsTimeout, `above 0 ms and at most ${maxTimer} ms`);
  }
  let pending$: Observable<ReadCredentials> | undefined;
  let renewals = 0;
  const proxyOf = environmentProxies(environmentProxy ? process.env : {});
  const tunnels = new Map<string, TunnelAgent>();

  /** Adds the way through a proxy, if there is one. `own` is the proxy of the kubeconfig. */
  function routed({ server, options: { agent, ...options } }: KubeCredentials, own?: string): KubeCredentials {
    const url = new URL(server);
    const isSecure = url.protocol === 'https:';
    // The agent of client-node knows other protocols than HTTP.
    if (own && !(isSecure && /^https?:/.test(own))) return { server, options: { ...options, ...(agent && { agent }) } };
    const found = own || proxyOf(url);
    if (found === undefined) return { server, options };
    const proxy = proxyUrl(found);
    if (isSecure) {
      const tunnel = tunnels.get(proxy.href) ?? new TunnelAgent(proxy);
      tunnels.set(proxy.href, tunnel);
      return { server, options: { ...options, agent: tunnel } };
    }
    if (options.auth !== undefined || options.headers.authorization !== undefined) {
      throw new Error(
        `the proxy ${proxy.host} could read the credentials for ${server}, because the server has no TLS: add its host to NO_PROXY`,
      );
    }
    const { headers, ...address } = forwarding(proxy, url);
    return { server, options: { ...options, ...address, headers: { ...options.headers, ...headers } } };
  }

  function beginRead(): Observable<ReadCredentials> {
    const before = renewals;
    return from(readCredentials(kubeConfig, before, routed)).pipe(
      map((credentials) => ({ credentials, renewals: before })),
      timeout({
        first: credentialsTimeout,
        scheduler,
        with: () =>
          throwError(() => new Error(`${subjectOf(kubeConfig)} has not answered for ${credentialsTimeout} ms`)),
      }),
      // A subscriber that joins while the other subscribers are notified gets the value too.
      share({ connector: () => new ReplaySubject(1) }),
    );
  }

  const credentials$ = defer(() => {
    const read$ = (pending$ ??= beginRead());
    return read$.pipe(
      finalize(() => {
        if (pending$ === read$) pending$ = undefined;
      }),
    );
  });
  return {
    credentials$,
    renew: (refused) => {
      renewals = Math.max(renewals, refused.renewals + 1);
    },
    close: () => tunnels.forEach((tunnel) => tunnel.destroy()),
  };
}

/**
 * Returns the kubeconfig with another name for its user, or with the token of the file. client-node
 * keeps credentials of a plugin by that name until they expire, and those of a file for a minute.
 */
function renewed(kubeConfig: KubeConfigLike, renewals: number): KubeConfigLike {
  const user = kubeConfig.getCurrentUser?.();
  if (renewals === 0 || !user || (!user.exec && !user.authProvider)) return kubeConfig;
  const { config } = (user.authProvider ?? {}) as { readonly config?: { readonly tokenFile?: unknown } };
  const own =
    typeof config?.tokenFile === 'string'
      ? { authProvider: undefined, token: readFileSync(config.tokenFile, 'utf8') }
      : { name: `${user.name} (renewal ${renewals})` };
  return Object.create(kubeConfig, { getCurrentUser: { value: () => ({ ...user, ...own }) } }) as KubeConfigLike;
}

/** Returns the origin of credentials for error messages: `exec plugin "aws" of user "ada"`. */
function subjectOf(kubeConfig: KubeConfigLike): string {
  const user = kubeConfig.getCurrentUser?.();
  if (user === undefined || user === null) return 'the kubeconfig';
  const { command } = (user.exec ?? {}) as { readonly command?: unknown };
  if (command !== undefined) return `exec plugin ${JSON.stringify(command)} of user ${JSON.stringify(user.name)}`;
  const { name } = (user.authProvider ?? {}) as { readonly name?: unknown };
  const provider = name === undefined ? 'the kubeconfig' : `auth provider ${JSON.stringify(name)}`;
  return `${provider} of user ${JSON.stringify(user.name)}`;
}

/** Returns an error whose advice becomes that of the `RXI_CREDENTIALS`. */
function problem(what: string, advice: string): Error {
  return Object.assign(new Error(what), { advice });
}

/** Returns what to do about an error of `readCredentials`, if the error shows it. */
export function credentialsAdvice(kubeConfig: KubeConfigLike, cause: unknown): string | undefined {
  const { advice, code, syscall } = cause as Partial<Record<'advice' | 'code' | 'syscall', string>>;
  if (code !== 'ENOENT' || syscall?.startsWith('spawn') !== true) return advice;
  return `install the ${subjectOf(kubeConfig)}, and put it on the PATH of this process`;
}

async function readCredentials(
  kubeConfig: KubeConfigLike,
  renewals: number,
  routed: (credentials: KubeCredentials, proxy?: string) => KubeCredentials,
): Promise<KubeCredentials> {
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null) throw noCluster(kubeConfig);
  const { server } = cluster;
  refuseOtherProtocols(server);
  // The cluster's options are set here, because `applyToHTTPSOptions` sets no options if the
  // context has no user. If the context has a user, the kubeconfig overwrites these options.
  const options: RequestOptions = clusterOptions(cluster);
  try {
    await renewed(kubeConfig, renewals).applyToHTTPSOptions(options);
  } catch (cause) {
    throw messageOf(cause).startsWith('HTTP protocol is not allowed') ? insecureServer(server) : cause;
  }
  const headers = trimmedHeaders((options.headers ?? {}) as OutgoingHttpHeaders);
  return routed({ server, options: { ...options, headers } }, cluster.proxyUrl);
}

function noCluster({ contexts = [], currentContext }: KubeConfigLike): Error {
  const names = contexts.map(({ name }) => name);
  const current = contexts.find(({ name }) => name === currentContext);
  if (current) {
    return problem(
      `the kubeconfig has no cluster ${JSON.stringify(current.cluster)}, which the context ${JSON.stringify(current.name)} names`,
      'add the cluster, or correct its name in the context',
    );
  }
  if (names.length === 0) {
    return problem(
      'the kubeconfig is empty',
      'call loadFromDefault() or another method that loads it, before the first request',
    );
  }
  return problem(
    `the kubeconfig has no ${currentContext ? `context ${JSON.stringify(currentContext)}` : 'current context'}`,
    `set current-context, or call setCurrentContext, with one of its contexts: ${names.join(', ')}`,
  );
}

function refuseOtherProtocols(server: string): void {
  // `loadFromCluster` of client-node builds the URL even if the environment variables are unset.
  if (/^https?:\/\/undefined:/.test(server)) {
    throw problem(
      'KUBERNETES_SERVICE_HOST is not set, so this program does not run in a pod',
      'use loadFromDefault() instead of loadFromCluster()',
    );
  }
  const { protocol } = URL.canParse(server) ? new URL(server) : { protocol: '' };
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw problem(
      `the server of the current cluster is not an http or https URL: ${JSON.stringify(server)}`,
      'correct `server` of the cluster in the kubeconfig',
    );
  }
}

/** Returns the error for a server without TLS, which client-node refuses. */
function insecureServer(server: string): Error {
  // `loadFromDefault` of client-node uses this server if it finds no kubeconfig.
  return server === 'http://localhost:8080'
    ? problem(
        'no kubeconfig was found: KUBECONFIG is not set, ~/.kube/config does not exist, and this program does not run in a pod',
        'create a kubeconfig, or set KUBECONFIG to its path',
      )
    : problem(
        `the server ${server} is http, and the kubeconfig does not allow requests without TLS`,
        'set insecure-skip-tls-verify: true for the cluster (kubectl proxy needs it), or write https://',
      );
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

/** Trims values, because a token file often ends with a newline, and lower-cases the names. */
function trimmedHeaders(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'string' ? value.trim() : value,
    ]),
  );
}

/**
 * The part of a `KubeConfig` of `@kubernetes/client-node` (1.4 or 2) that `kubeClient` uses. You
 * may pass any object of this shape.
 */
export interface KubeConfigLike {
  /** Returns the cluster of the current context; `null` if there is none. */
  getCurrentCluster(): KubeConfigCluster | null;
  /** Sets headers, certificates and the agent of the current user. */
  applyToHTTPSOptions(options: RequestOptions): Promise<void>;
  /**
   * Returns the user of the context: for messages, and to detect a plugin or a file. After a 401,
   * `applyToHTTPSOptions` is called on an object that inherits from this one with another user.
   */
  getCurrentUser?(): KubeConfigUser | null;
  /** The namespace of the client. Default: that of the current context. */
  readonly namespace?: string;
  /** The contexts, and the name of the current one: for messages, and for its namespace. */
  readonly contexts?: readonly { readonly name: string; readonly cluster: string; readonly namespace?: string }[];
  readonly currentContext?: string;
}

/** The fields that are read of the user of a kubeconfig. */
export interface KubeConfigUser {
  readonly name: string;
  /** An exec plugin, for example `{ command: 'aws' }`. */
  readonly exec?: unknown;
  /** An auth provider, for example `{ name: 'oidc' }`. */
  readonly authProvider?: unknown;
}

/** The fields that are read of the cluster of a kubeconfig. */
export interface KubeConfigCluster {
  /** For example `https://10.0.0.1:6443`, or `https://rancher.example.com/k8s/clusters/c-1`. */
  readonly server: string;
  /** The certificates of the CA, in Base64. */
  readonly caData?: string | undefined;
  readonly caFile?: string | undefined;
  readonly skipTLSVerify?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
  readonly proxyUrl?: string | undefined;
}
