import { useMemo } from 'react';
import type { TableRow } from 'rx-informers/requests';
import { metaNamespaceKey } from 'rx-informers/store';
import { nodeResource, podResource } from '../address/page-address.js';
import { useNodes, usePods } from '../cluster/informers.js';
import { UsageCell } from '../metrics/usage-cell.js';
import { allocatableOf, amountNames, amountTitles, podBound, type AmountName, type Bound } from '../metrics/usage.js';
import { useMeasured } from '../metrics/use-measured.js';
import type { Column } from '../table/columns.js';
import type { Kind } from './discovery.js';

const none: readonly Column<TableRow>[] = [];

/**
 * Returns the columns CPU and Memory for pods and nodes, if metrics.k8s.io exists. Returns no
 * columns for other kinds.
 */
export function useUsageColumns({ id }: Kind): readonly Column<TableRow>[] {
  const isOfNodes = id === nodeResource;
  const { isAvailable, of } = useMeasured(isOfNodes ? 'nodes' : id === podResource ? 'pods' : undefined);
  const pods = usePods();
  const nodes = useNodes();
  return useMemo(() => {
    if (!isAvailable) return none;
    const boundOf = (name: AmountName, row: TableRow): Bound | undefined => {
      if (isOfNodes) {
        const node = nodes.get(metaNamespaceKey(row));
        return node && allocatableOf(name, node);
      }
      const pod = pods.get(metaNamespaceKey(row));
      return pod && podBound(name, pod);
    };
    return amountNames.map((name) => ({
      name,
      title: amountTitles[name],
      className: 'number',
      sort: { value: (row) => of(row)?.[name] },
      cell: (row) => <UsageCell name={name} amount={of(row)?.[name]} bound={boundOf(name, row)} />,
      width: [76, 76, 76],
      isNumeric: true,
    }));
  }, [isAvailable, of, isOfNodes, pods, nodes]);
}
