import { useMemo } from 'react';
import type { KubernetesNode, Pod } from 'rx-informers';
import { nodeResource, podResource } from '../address/page-address.js';
import { UsageCell } from '../metrics/usage-cell.js';
import { allocatableOf, amountNames, amountTitles, podBound, type AmountName, type Bound } from '../metrics/usage.js';
import { useMeasured } from '../metrics/use-measured.js';
import type { KindColumn } from './columns.js';
import type { AnyObject, Kind } from './discovery.js';

const none: readonly KindColumn[] = [];

/**
 * Returns the columns CPU and Memory for pods and nodes, if metrics.k8s.io exists. Returns no
 * columns for other kinds.
 */
export function useUsageColumns({ id }: Kind): readonly KindColumn[] {
  const isOfNodes = id === nodeResource;
  const { isAvailable, of } = useMeasured(isOfNodes ? 'nodes' : id === podResource ? 'pods' : undefined);
  return useMemo(() => {
    if (!isAvailable) return none;
    const boundOf = (name: AmountName, object: AnyObject): Bound | undefined =>
      isOfNodes ? allocatableOf(name, object as KubernetesNode) : podBound(name, object as Pod);
    return amountNames.map((name) => ({
      name,
      title: amountTitles[name],
      type: 'number',
      value: (object) => of(object)?.[name],
      cell: (object) => <UsageCell name={name} amount={of(object)?.[name]} bound={boundOf(name, object)} />,
    }));
  }, [isAvailable, of, isOfNodes]);
}
