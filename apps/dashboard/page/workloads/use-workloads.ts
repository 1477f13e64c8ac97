import { useMemo } from 'react';
import {
  cronJobs,
  daemonSets,
  deployments,
  jobs,
  replicaSets,
  statefulSets,
  type KubernetesObject,
  type Resource,
} from 'rx-informers';
import type { DerivedCollection } from 'rx-informers/derived';
import { useHasSynced, useStatus } from 'rx-informers/react';
import { connectionOf, useSettled } from '../cluster/connection.js';
import { usePods } from '../cluster/informers.js';
import { useKind } from '../kinds/use-kind.js';
import { podEntriesOf } from '../pods/pod-entries.js';
import { workloadCollections, type WorkloadCollections } from './workload-collections.js';

export interface Workloads extends WorkloadCollections {
  /** Kinds that the user may not read or the cluster does not have. The tree omits them. */
  readonly missing: readonly string[];
}

/** Returns the owner tree of the shown objects, without the kinds that the user may not read. */
export function useWorkloads(): Workloads {
  const pods = usePods();
  const ofDeployments = useReadable(deployments);
  const ofReplicaSets = useReadable(replicaSets);
  const ofStatefulSets = useReadable(statefulSets);
  const ofDaemonSets = useReadable(daemonSets);
  const ofCronJobs = useReadable(cronJobs);
  const ofJobs = useReadable(jobs);
  return useMemo(() => {
    const missing = Object.entries({
      Deployments: ofDeployments,
      ReplicaSets: ofReplicaSets,
      StatefulSets: ofStatefulSets,
      DaemonSets: ofDaemonSets,
      CronJobs: ofCronJobs,
      Jobs: ofJobs,
    }).flatMap(([name, informer]) => (informer === undefined ? [name] : []));
    const inputs = {
      ...(ofDeployments && { deployments: ofDeployments }),
      ...(ofReplicaSets && { replicaSets: ofReplicaSets }),
      ...(ofStatefulSets && { statefulSets: ofStatefulSets }),
      ...(ofDaemonSets && { daemonSets: ofDaemonSets }),
      ...(ofCronJobs && { cronJobs: ofCronJobs }),
      ...(ofJobs && { jobs: ofJobs }),
      pods,
    };
    const collections = workloadCollections(inputs, podEntriesOf(pods));
    return { ...collections, missing };
  }, [pods, ofDeployments, ofReplicaSets, ofStatefulSets, ofDaemonSets, ofCronJobs, ofJobs]);
}

/**
 * Returns the informer of a kind, and keeps it running. Returns `undefined` while the API server
 * refuses the kind, or does not know it.
 */
function useReadable<T extends KubernetesObject>(resource: Resource<T>): DerivedCollection<T, 'namespace'> | undefined {
  const informer = useKind(resource);
  const hasSynced = useHasSynced(informer);
  const { text } = connectionOf(useSettled(useStatus(informer)));
  return !hasSynced && (text === 'no permission' || text === 'not found') ? undefined : informer;
}
