import type { ReactNode } from 'react';
import { map, type Observable } from 'rxjs';
import type { Cluster } from '../cluster/cluster.js';
import type { PodColumn } from '../pods/pod-columns.js';
import { durationText, useLiveSecond } from '../text/age.js';
import { measured$, type Measured } from './measured.js';
import { UsageCell } from './usage-cell.js';
import { amountNames, amountTitles, podBound } from './usage.js';
import type { UsageParts } from './use-usage-parts.js';

/** Emits the parts of the table of pods that show usage. */
export function usageParts(cluster: Cluster, namespace: string | undefined): Observable<UsageParts> {
  return measured$(cluster, 'pods', namespace).pipe(
    map((measured) => ({
      columns: measured.isAvailable ? podUsageColumns(measured) : [],
      note: <FailingNote measured={measured} />,
    })),
  );
}

type UsageOfPod = Pick<Measured, 'of'>;

/** Returns the columns CPU and Memory, with the figures of one read. */
export function podUsageColumns({ of }: UsageOfPod): readonly PodColumn[] {
  return amountNames.map((name) => ({
    name,
    title: amountTitles[name],
    description: `${amountTitles[name]} in use, from metrics.k8s.io, which is read every 15 s`,
    sort: { value: ({ pod }) => of(pod)?.[name] },
    cell: ({ pod }) => <UsageCell name={name} amount={of(pod)?.[name]} bound={podBound(name, pod)} />,
    width: [76, 76, 76],
    isNumeric: true,
  }));
}

/** Renders the age of the figures while newer ones cannot be read. */
function FailingNote({ measured: { isFailing, latestAt } }: { readonly measured: Measured }): ReactNode {
  const age = useLiveSecond((now) => (latestAt === undefined ? '' : durationText(now - latestAt)));
  if (!isFailing) return null;
  return (
    <span className="fine" role="status">
      {latestAt === undefined ? 'No CPU and memory figures' : `CPU and memory from ${age} ago`}: metrics.k8s.io does not
      respond
    </span>
  );
}
