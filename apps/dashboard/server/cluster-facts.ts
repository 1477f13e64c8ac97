import type { Resource } from 'rx-informers';
import { kubeClient, type KubeConfigLike } from 'rx-informers/node';
import { requestJson } from 'rx-informers/requests';
import { catchError, finalize, firstValueFrom, map, of, timeout, type SchedulerLike } from 'rxjs';

/** The answer of `/dashboard/info`: facts that the page cannot read from the API. */
export interface ClusterInfo {
  /** The name of the kubeconfig's current context; `cluster` if it has no name. */
  readonly context: string;
  /**
   * All contexts of this server. The API of a context is below `/contexts/{name}`, with the name as
   * one encoded segment.
   */
  readonly contexts: readonly string[];
  /**
   * The name of the user according to the API server (Kubernetes 1.28 and later). If the API server
   * is older, the name of the user in the kubeconfig.
   */
  readonly user: string | null;
  /** The default namespace of the context. */
  readonly namespace: string | null;
  /** The namespace of `--namespace`. The page requests only this one. */
  readonly forcedNamespace: string | null;
  readonly allowWrites: boolean;
  /** Whether the content of Secrets is forwarded. */
  readonly secrets: boolean;
  /** Whether the cluster is the embedded demo. */
  readonly demo: boolean;
  /** The kinds that the page can read at `/hub`; empty without a hub. */
  readonly hub: readonly Pick<Resource<unknown>, 'group' | 'version' | 'plural'>[];
  /** The viewer's session; only on a server where each viewer signs in. */
  readonly session?: { readonly until: string };
}

/** The facts that a kubeconfig contains about its current context. */
export interface ContextFacts {
  readonly name: string;
  readonly namespace: string | null;
  readonly user: string | null;
}

/** The parts of client-node's `KubeConfig` that contain names. */
interface NamedConfig {
  getCurrentContext?(): string;
  getContextObject?(name: string): { readonly namespace?: string | undefined; readonly user?: string } | null;
}

/**
 * Returns the facts about the current context of a kubeconfig. A context without a name is called
 * `cluster`.
 */
export function contextFacts(kubeConfig: KubeConfigLike): ContextFacts {
  const named: KubeConfigLike & NamedConfig = kubeConfig;
  const name = named.getCurrentContext?.() || 'cluster';
  const context = named.getContextObject?.(name);
  return { name, namespace: context?.namespace || null, user: context?.user || null };
}

/** How long the server waits for the name of the user, in milliseconds. */
const patience = 5_000;

/**
 * Returns the name of the user according to the API server. Returns `null` if the API server
 * reports none, fails, or does not answer in time.
 */
export function userName(kubeConfig: KubeConfigLike, scheduler: SchedulerLike): Promise<string | null> {
  const client = kubeClient(kubeConfig);
  const answer$ = requestJson<{ readonly status?: { readonly userInfo?: { readonly username?: string } } }>(client, {
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
  }).pipe(
    map(({ status }) => status?.userInfo?.username ?? null),
    timeout({ first: patience, scheduler }),
    catchError(() => of(null)),
    finalize(() => {
      client.close();
    }),
  );
  return firstValueFrom(answer$, { defaultValue: null });
}
