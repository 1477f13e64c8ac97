import { toExternalStore, type ExternalStore } from 'rx-informers/views';
import { defer, forkJoin, from, map, of, repeat, takeWhile, timer, type Observable } from 'rxjs';
import { fetchOrEarlier } from './early-requests.js';
import { kindsOfHub } from './hub-kinds.js';

/** The cluster that the page shows, and what the page may do with it. */
export interface ClusterInfo {
  /** False until the server has answered. */
  readonly isKnown: boolean;
  /** The context of the kubeconfig; undefined under `kubectl proxy`, which does not report it. */
  readonly context: string | undefined;
  /**
   * All contexts that the server of the page shows, including this one. The first one has no path
   * prefix.
   */
  readonly contexts: readonly string[];
  readonly user: string | undefined;
  /** The default namespace of the context. */
  readonly namespace: string | undefined;
  /** The only namespace that the page shows, set with `--namespace`. */
  readonly forcedNamespace: string | undefined;
  readonly allowWrites: boolean;
  readonly secrets: boolean;
  /** True for the embedded cluster. */
  readonly demo: boolean;
  /** When the session of the viewer ends; undefined if the server of the page has no sign-in. */
  readonly sessionUntil: string | undefined;
  /** The kinds that the server of the page reads once for all viewers: `apps/v1/deployments`. */
  readonly kindsOfHub: readonly string[];
  /** The version of the API server: `v1.36.0`. */
  readonly version: string | undefined;
  /** Whether the API server serves metrics.k8s.io. */
  readonly hasMetrics: boolean;
}

/** The defaults before the server has answered, and for a server that is not the dashboard's. */
export const unknownCluster: ClusterInfo = {
  isKnown: false,
  context: undefined,
  contexts: [],
  user: undefined,
  namespace: undefined,
  forcedNamespace: undefined,
  allowWrites: false,
  secrets: false,
  demo: false,
  sessionUntil: undefined,
  kindsOfHub: [],
  version: undefined,
  hasMetrics: false,
};

/**
 * Reads the answers of `/dashboard/info`, `/version` and `/apis`. Ignores fields of an unexpected
 * type.
 *
 * @param root the answer of `/dashboard/info` at the root of the origin, which lists the contexts
 */
export function clusterInfoOf(info: unknown, version: unknown, root: unknown = info, apis?: unknown): ClusterInfo {
  const fields = recordOf(info);
  const { context: first, contexts: others } = recordOf(root);
  return {
    isKnown: info !== undefined || version !== undefined,
    context: textOf(fields['context']),
    contexts: [first, ...(Array.isArray(others) ? (others as readonly unknown[]) : [])].flatMap(
      (name) => textOf(name) ?? [],
    ),
    user: textOf(fields['user']),
    namespace: textOf(fields['namespace']),
    forcedNamespace: textOf(fields['forcedNamespace']),
    allowWrites: fields['allowWrites'] === true,
    secrets: fields['secrets'] === true,
    demo: fields['demo'] === true,
    sessionUntil: textOf(recordOf(fields['session'])['until']),
    kindsOfHub: kindsOfHub(info),
    version: textOf(recordOf(version)['gitVersion']),
    hasMetrics: JSON.stringify(apis ?? '').includes('"metrics.k8s.io/v1beta1"'),
  };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Milliseconds until the page repeats a request that was not answered. */
const patience = 5000;

/**
 * Returns a store with the information about the cluster at a path of the page's origin. Repeats
 * the requests until `/dashboard/info` or `/version` answers: `kubectl proxy` has no
 * `/dashboard/info`, and some users may not read `/version`.
 */
export function clusterInfoStore(base: string): ExternalStore<ClusterInfo> {
  const info$ = defer(() => {
    const own$ = jsonAt(`${base}/dashboard/info`);
    const root$ = base === '' ? own$ : jsonAt('/dashboard/info');
    return forkJoin([own$, jsonAt(`${base}/version`), root$, jsonAt(`${base}/apis`)]).pipe(
      map((answers) => clusterInfoOf(...answers)),
    );
  }).pipe(
    repeat({ delay: () => timer(patience) }),
    takeWhile(({ isKnown }) => !isKnown, true),
  );
  return toExternalStore(info$, unknownCluster);
}

/** Emits the JSON at a path, or `undefined` if the path cannot be read or has no JSON. */
function jsonAt(path: string): Observable<unknown> {
  if (typeof fetch === 'undefined') return of(undefined);
  const read = async (): Promise<unknown> => {
    try {
      const response = await fetchOrEarlier(path, { headers: { accept: 'application/json' } });
      return response.ok ? ((await response.json()) as unknown) : undefined;
    } catch {
      return undefined;
    }
  };
  return from(read());
}
