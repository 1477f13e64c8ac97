import { useState, type ReactNode } from 'react';
import type { Pod } from 'rx-informers';
import { useHasSynced, useWindow } from 'rx-informers/react';
import { useRelations, type RelatedProps } from '../drawer/related.js';
import { LogsOfPods } from './logs-view.js';
import { logCapacity } from './use-followed-logs.js';

const oldestFirst = [{ value: ({ metadata }: Pod) => metadata.creationTimestamp }];

/** Renders the logs of all pods of a workload, and follows them. */
export function WorkloadLogs(props: RelatedProps): ReactNode {
  const [capacity] = useState(logCapacity);
  const pods = useRelations(props).all.find((relation) => relation.pods !== undefined)?.pods;
  const hasSynced = useHasSynced(pods);
  const { rows, total } = useWindow(pods, { sortBy: oldestFirst, limit: capacity.streams + capacity.polls });
  const { namespace = '', name = '' } = props.object.metadata ?? {};
  return (
    <div className="logs">
      <LogsOfPods
        pods={rows}
        total={total}
        capacity={capacity}
        fileName={`${namespace}-${name}.log`}
        none={hasSynced ? 'It has no pods.' : 'Its pods are not known yet.'}
        hint="The table of pods leads to the others."
      />
    </div>
  );
}
