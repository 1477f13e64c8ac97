import { useMemo, useSyncExternalStore, type ComponentType, type ReactNode } from 'react';
import type { Collection, Pod } from 'rx-informers';
import { toExternalStore } from 'rx-informers/views';
import { catchError, defer, EMPTY, switchMap } from 'rxjs';
import { usePageAddress } from '../address/use-page-address.js';
import { useCluster, useClusterInfo } from '../cluster/cluster.js';
import type { MapCells } from '../nodes/map-cells.js';
import type { PodColumn } from '../pods/pod-columns.js';

/** The parts of the pods view, in its table and its map, that show the usage of pods and nodes. */
export interface UsageParts {
  /** Columns for the table of pods. */
  readonly columns: readonly PodColumn[];
  /** Colours for the map. */
  readonly colours: readonly UsageColour[];
  /** A note that is shown while the figures are old. */
  readonly note?: ReactNode;
  /** Draws the usage of a node in its tile. */
  readonly Tile?: ComponentType<{ readonly name: string }>;
}

/** An additional choice for the colours of the map. */
export interface UsageColour {
  readonly name: string;
  readonly legend: ReactNode;
  readonly cells: (pods: Collection<Pod>) => MapCells;
}

const none: UsageParts = { columns: [], colours: [] };

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
