import { useSyncExternalStore } from 'react';
import { toExternalStore, type ExternalStore } from 'rx-informers/views';
import { EMPTY } from 'rxjs';
import { usePageAddress } from '../address/use-page-address.js';
import { useCluster, type Cluster } from '../cluster/cluster.js';
import { measured$, nothingMeasured, type Measured, type MeasuredKind } from './measured.js';

const stores = new WeakMap<Cluster, Map<string, ExternalStore<Measured>>>();

const nothing = toExternalStore(EMPTY, nothingMeasured);

/**
 * Returns the usage of pods or nodes. Without a kind, returns no usage. Renders the component again
 * with each read, every 15 s. Reads only while a component uses it.
 */
export function useMeasured(kind: MeasuredKind | undefined): Measured {
  const cluster = useCluster();
  const { namespace } = usePageAddress();
  const { subscribe, getSnapshot } = kind === undefined ? nothing : measuredStore(cluster, kind, namespace);
  return useSyncExternalStore(subscribe, getSnapshot);
}

function measuredStore(cluster: Cluster, kind: MeasuredKind, namespace: string | undefined): ExternalStore<Measured> {
  const known = stores.get(cluster) ?? new Map<string, ExternalStore<Measured>>();
  stores.set(cluster, known);
  const id = `${kind} ${namespace ?? ''}`;
  const store = known.get(id) ?? toExternalStore(measured$(cluster, kind, namespace), nothingMeasured);
  known.set(id, store);
  return store;
}
