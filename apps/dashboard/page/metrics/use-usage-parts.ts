import { useMemo, useSyncExternalStore, type ReactNode } from 'react';
import { toExternalStore } from 'rx-informers/views';
import { catchError, defer, EMPTY, switchMap } from 'rxjs';
import { usePageAddress } from '../address/use-page-address.js';
import { useCluster, useClusterInfo } from '../cluster/cluster.js';
import type { PodColumn } from '../pods/pod-columns.js';

/** The parts of the table of pods that show their usage. */
export interface UsageParts {
  /** Columns for the table of pods. */
  readonly columns: readonly PodColumn[];
  /** A note that is shown while the figures are old. */
  readonly note?: ReactNode;
}

const none: UsageParts = { columns: [] };

/**
 * Returns the parts that show usage. If the cluster has no metrics.k8s.io, the code of these parts
 * is not loaded.
 */
export function useUsageParts(): UsageParts {
  const cluster = useCluster();
  const { namespace } = usePageAddress();
  const mayHave = useClusterInfo().hasMetrics;
  const store = useMemo(() => {
    const parts$ = defer(() => import('./usage-parts.js')).pipe(
      switchMap(({ usageParts }) => usageParts(cluster, namespace)),
      // If the code cannot be loaded, the table is shown without these columns.
      catchError(() => EMPTY),
    );
    return toExternalStore(mayHave ? parts$ : EMPTY, none);
  }, [cluster, namespace, mayHave]);
  return useSyncExternalStore(store.subscribe, store.getSnapshot);
}
