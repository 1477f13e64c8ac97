import { createContext, lazy, Suspense, useContext, useMemo, useSyncExternalStore, type ReactNode } from 'react';
import type { InformerRegistry, KubeClient } from 'rx-informers';
import { InformersProvider } from 'rx-informers/react';
import { sharedListWatch, sharedRegistry, type SharedListWatch } from 'rx-informers/shared-worker';
import { browserWake$, type ExternalStore } from 'rx-informers/views';
import { apiBaseOf } from '../address/api-base.js';
import { parseAddress } from '../address/page-address.js';
import { usePageAddress } from '../address/use-page-address.js';
import { PastContext } from '../history/recordings.js';
import type { KindTable } from '../kinds/kind-tables.js';
import { shownWrites, type ShownWrites } from '../writes/shown-writes.js';
import { clusterInfoStore, type ClusterInfo } from './cluster-info.js';
import { fetchOrEarlier } from './early-requests.js';
import { clientAt } from './reading.js';
import { runOfServer } from './run-of-server.js';

/**
 * The cluster of the page. With several contexts side by side, it is the first cluster, with
 * informers over all contexts.
 */
export interface Cluster {
  /** Sends the requests other than watches: logs, discovery, permissions, writes. */
  readonly client: KubeClient;
  /** The informers of this tab. */
  readonly registry: InformerRegistry;
  /** The cache that all tabs share. The informers read from it. */
  readonly shared: SharedListWatch;
  readonly info: ExternalStore<ClusterInfo>;
  /**
   * The contexts that are shown side by side, each as its own cluster. Empty if one context is
   * shown.
   */
  readonly members: ReadonlyMap<string, Cluster>;
  /** The tables that were shown so far. `tableOf` adds them. */
  readonly tables: Map<string, KindTable>;
  /** The context that the keys of objects name; `undefined` if only one context is shown. */
  readonly context?: string;
  /** Wraps the sources of the informers, so that they show writes at once. */
  readonly writes: ShownWrites;
}

const none: ReadonlyMap<string, Cluster> = new Map();

/** Returns the cluster at a path of the page's origin. */
function clusterAt(baseUrl: string): Cluster {
  const client = clientAt(baseUrl, fetchOrEarlier);
  const connect = (): SharedWorker => {
    const started = startedWorkers.get(baseUrl) ?? workerAt(baseUrl);
    startedWorkers.delete(baseUrl);
    return started;
  };
  const shared = sharedListWatch(connect, { identity: runOfServer(document.cookie, location.port) });
  const writes = shownWrites(shared.listWatch);
  const registry = sharedRegistry(client, writes, { wakeOn: browserWake$() });
  const info = clusterInfoStore(baseUrl);
  return { client, registry, shared, writes, tables: new Map(), info, members: none };
}

/** The workers that were started before the page needed them. */
const startedWorkers = new Map<string, SharedWorker>();

function workerAt(baseUrl: string): SharedWorker {
  if (typeof SharedWorker === 'undefined') throw new Error('this browser has no shared workers');
  // `extendedLifetime` keeps the worker, with the recorded past, while its only tab is loaded again.
  // Browsers that do not know it end the worker, and the recording begins again.
  return new SharedWorker(new URL('./informer-worker.ts', import.meta.url), {
    type: 'module',
    name: baseUrl,
    extendedLifetime: true,
  } as WorkerOptions);
}

/**
 * Starts the worker of the cluster that the address names. Its script then loads while the page is
 * drawn.
 */
export function startWorkerOfAddress(): void {
  const { contexts } = parseAddress(location.search);
  if (contexts.length > 1 || typeof SharedWorker === 'undefined') return;
  const [context] = contexts;
  const baseUrl = context === undefined ? apiBaseOf(location.search) : baseOf(context);
  try {
    startedWorkers.set(baseUrl, workerAt(baseUrl));
  } catch {
    // A browser may refuse workers, for example if it blocks the storage of the site. The cluster
    // then tries again, and reads with its own connections.
  }
}

const known = new Map<string, Cluster>();

function onceAt(baseUrl: string): Cluster {
  const cluster = known.get(baseUrl) ?? clusterAt(baseUrl);
  known.set(baseUrl, cluster);
  return cluster;
}

/** Returns the path of a context on the dashboard's server. */
export function baseOf(context: string): string {
  return `/contexts/${encodeURIComponent(context)}`;
}

/** Returns the cluster of a context. The same name returns the same cluster. */
export function clusterOf(context: string): Cluster {
  return onceAt(baseOf(context));
}

/** Provides one cluster to all components: `<ClusterContext.Provider value={cluster}>`. */
export const ClusterContext = createContext<Cluster>(onceAt(''));

const SideBySide = lazy(async () => ({ default: (await import('./side-by-side.js')).SideBySide }));

/**
 * Provides the cluster of the address and its informers to all components. The address names the
 * cluster with `contexts` or with `api`.
 */
export function ClusterOfAddress({ children }: { readonly children: ReactNode }): ReactNode {
  const { contexts } = usePageAddress();
  if (contexts.length < 2) return <OneCluster key={contexts.join()}>{children}</OneCluster>;
  return (
    <Suspense fallback={<p className="fine loading-view">Loading…</p>}>
      <SideBySide key={contexts.join()} contexts={contexts}>
        {children}
      </SideBySide>
    </Suspense>
  );
}

function OneCluster({ children }: { readonly children: ReactNode }): ReactNode {
  const [context] = usePageAddress().contexts;
  const cluster = useMemo(
    () => (context === undefined ? onceAt(apiBaseOf(location.search)) : clusterOf(context)),
    [context],
  );
  return <InCluster cluster={cluster}>{children}</InCluster>;
}

/** Provides a cluster and its informers to all components. */
export function InCluster({
  cluster,
  children,
}: {
  readonly cluster: Cluster;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <ClusterContext.Provider value={cluster}>
      <PastContext.Provider value={cluster.members.size === 0 ? cluster.shared.past : undefined}>
        <InformersProvider registry={cluster.registry}>{children}</InformersProvider>
      </PastContext.Provider>
    </ClusterContext.Provider>
  );
}

/** Returns the cluster of the page. */
export function useCluster(): Cluster {
  return useContext(ClusterContext);
}

/**
 * Returns the information about the cluster of the page. With several contexts side by side, this
 * is the information about the first one. Requests it once.
 */
export function useClusterInfo(): ClusterInfo {
  const { info } = useCluster();
  return useSyncExternalStore(info.subscribe, info.getSnapshot);
}
