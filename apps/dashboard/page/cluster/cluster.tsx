import { createContext, useContext, useSyncExternalStore, type ReactNode } from 'react';
import type { InformerRegistry, KubeClient } from 'rx-informers';
import { InformersProvider } from 'rx-informers/react';
import { sharedListWatch, sharedRegistry, type SharedListWatch } from 'rx-informers/shared-worker';
import { browserWake$, type ExternalStore } from 'rx-informers/views';
import { apiBaseOf, baseOfContext } from '../address/api-base.js';
import { usePageAddress } from '../address/use-page-address.js';
import { PastContext } from '../history/recordings.js';
import type { KindTable } from '../kinds/kind-tables.js';
import { shownWrites, type ShownWrites } from '../writes/shown-writes.js';
import { clusterInfoStore, type ClusterInfo } from './cluster-info.js';
import { fetchOrEarlier } from './early-requests.js';
import { clientAt } from './reading.js';
import { hasSignIn, runOfServer } from './run-of-server.js';
import { teamListWatch } from './team-reading.js';
import { workerName } from './worker-name.js';

/** The cluster of the page. */
export interface Cluster {
  /** Sends the requests other than watches: logs, discovery, permissions, writes. */
  readonly client: KubeClient;
  /** The informers of this tab. */
  readonly registry: InformerRegistry;
  /** The cache that all tabs share. The informers read from it. */
  readonly shared: SharedListWatch;
  readonly info: ExternalStore<ClusterInfo>;
  /** The tables that were shown so far. `tableOf` adds them. */
  readonly tables: Map<string, KindTable>;
  /** Wraps the sources of the informers, so that they show writes at once. */
  readonly writes: ShownWrites;
}

/** Returns the cluster at a path of the page's origin. */
function clusterAt(baseUrl: string): Cluster {
  const client = clientAt(baseUrl, fetchOrEarlier);
  const connect = (): SharedWorker => {
    const started = startedWorkers.get(baseUrl) ?? workerAt(baseUrl);
    startedWorkers.delete(baseUrl);
    return started;
  };
  const shared = sharedListWatch(connect, {
    identity: runOfServer(document.cookie, location.port),
    ...(isTeam() && { ownListWatch: teamListWatch(client) }),
  });
  const writes = shownWrites(shared.listWatch);
  const registry = sharedRegistry(client, writes, { wakeOn: browserWake$() });
  const info = clusterInfoStore(baseUrl);
  return { client, registry, shared, writes, tables: new Map(), info };
}

/** Returns whether the server of the page has a sign-in. */
function isTeam(): boolean {
  return hasSignIn(document.cookie, location.port);
}

/** The workers that were started before the page needed them. */
const startedWorkers = new Map<string, SharedWorker>();

function workerAt(baseUrl: string): SharedWorker {
  if (typeof SharedWorker === 'undefined') throw new Error('this browser has no shared workers');
  const name = workerName({ baseUrl, isTeam: isTeam() });
  // `extendedLifetime` keeps the worker, with the recorded past, while its only tab is loaded again.
  // Browsers that do not know it end the worker, and the recording begins again.
  return new SharedWorker(new URL('./informer-worker.ts', import.meta.url), {
    type: 'module',
    name,
    extendedLifetime: true,
  } as WorkerOptions);
}

/**
 * Starts the worker of the cluster that the address names. Its script then loads while the page is
 * drawn.
 */
export function startWorkerOfAddress(): void {
  if (typeof SharedWorker === 'undefined') return;
  const baseUrl = apiBaseOf(location.search);
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

/** Provides one cluster to all components: `<ClusterContext.Provider value={cluster}>`. */
export const ClusterContext = createContext<Cluster>(onceAt(''));

/**
 * Provides the cluster of the address and its informers to all components. The address names the
 * cluster with `context` or with `api`. Another cluster renders all components again.
 */
export function ClusterOfAddress({ children }: { readonly children: ReactNode }): ReactNode {
  const { context } = usePageAddress();
  const baseUrl = context === undefined ? apiBaseOf(location.search) : baseOfContext(context);
  return (
    <InCluster key={baseUrl} cluster={onceAt(baseUrl)}>
      {children}
    </InCluster>
  );
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
      <PastContext.Provider value={cluster.shared.past}>
        <InformersProvider registry={cluster.registry}>{children}</InformersProvider>
      </PastContext.Provider>
    </ClusterContext.Provider>
  );
}

/** Returns the cluster of the page. */
export function useCluster(): Cluster {
  return useContext(ClusterContext);
}

/** Returns the information about the cluster of the page. Requests it once. */
export function useClusterInfo(): ClusterInfo {
  const { info } = useCluster();
  return useSyncExternalStore(info.subscribe, info.getSnapshot);
}
