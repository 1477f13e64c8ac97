import type { Pod } from 'rx-informers';
import type { SortColumn } from 'rx-informers/views';
import { indexByPlacement } from './pod-filter.js';
import { podStatusText, readinessOf, restartsOf } from './pod-phase.js';

export type ColumnName = 'name' | 'namespace' | 'node' | 'status' | 'ready' | 'restarts' | 'age';

export interface PodColumn {
  readonly name: ColumnName;
  readonly title: string;
  readonly value: SortColumn<Pod>['value'];
}

/** Defined once: a window sorts anew for another function. */
export const podColumns: readonly PodColumn[] = [
  { name: 'name', title: 'Name', value: ({ metadata }) => metadata.name },
  { name: 'namespace', title: 'Namespace', value: ({ metadata }) => metadata.namespace },
  { name: 'node', title: 'Node', value: indexByPlacement },
  { name: 'status', title: 'Status', value: podStatusText },
  { name: 'ready', title: 'Ready', value: (pod) => readinessOf(pod).ready },
  { name: 'restarts', title: 'Restarts', value: restartsOf },
  // By age, not by time of creation: ascending begins with the youngest.
  { name: 'age', title: 'Age', value: ({ metadata }) => -Date.parse(metadata.creationTimestamp ?? '') },
];
