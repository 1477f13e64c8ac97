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
    const inputs = {
      deployments: ofDeployments,
      replicaSets: ofReplicaSets,
      statefulSets: ofStatefulSets,
      daemonSets: ofDaemonSets,
      cronJobs: ofCronJobs,
      jobs: ofJobs,
      pods,
    };
    const missing = Object.entries(inputs).flatMap(([from, input]) =>
      input === undefined ? [`${from.charAt(0).toUpperCase()}${from.slice(1)}`] : [],
    );
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
