import { invalidOptionError } from '../errors.js';
import type { DaemonSet, Deployment, Job, ReplicaSet, StatefulSet } from '../resources/everyday.js';
import type { Severity } from './status-summary.js';

/** A workload whose status {@link workloadStatus} describes. */
export type Workload = DaemonSet | Deployment | Job | ReplicaSet | StatefulSet;

/** The status of a workload as kubectl prints it. */
export interface WorkloadStatusSummary {
  /**
   * True if nothing more is expected: a rollout is complete, a Job has ended. With `OnDelete`, it
   * is always true, because kubectl does not wait for such a rollout.
   */
  readonly isDone: boolean;
  readonly severity: Severity;
  /** What kubectl prints, without a line break at the end. */
  readonly message: string;
}

/**
 * Returns the status of a workload in the words of kubectl, and its severity.
 *
 * | kind | message |
 * | --- | --- |
 * | Deployment, StatefulSet, DaemonSet | what `kubectl rollout status` prints, also as an error |
 * | ReplicaSet | the replicas of `kubectl describe`, for example `2 current / 3 desired` |
 * | Job | STATUS and COMPLETIONS of `kubectl get`, for example `Running 0/1 of 3` for a work queue |
 *
 * | severity | the first rule that fits |
 * | --- | --- |
 * | `failed`, `done` | the Job has failed or is complete |
 * | `failing` | the Deployment exceeded its progress deadline, or the Job is about to fail |
 * | `warning` | pods of the Deployment or ReplicaSet cannot be created, for example beyond a quota |
 * | `progressing` | `isDone` is false |
 * | `ok` | `isDone` is true |
 *
 * The rules are those of Kubernetes 1.35. A CronJob has no rollout and no status; its Jobs have.
 *
 * **Guarantees**: pure; never throws for a workload that the API server returns; costs
 * O(conditions).
 *
 * @param workload the workload; its `kind` decides the rules
 * @returns the message, and whether anything more is expected
 * @throws `RXI_INVALID_OPTION` for an object of another kind
 * @example
 * import type { Deployment } from 'rx-informers';
 * import { workloadStatus } from 'rx-informers/resources';
 *
 * declare const deployment: Deployment;
 *
 * // Waiting for deployment "shop" rollout to finish: 1 of 3 updated replicas are available...
 * const { isDone, message } = workloadStatus(deployment);
 */
export function workloadStatus(workload: Workload): WorkloadStatusSummary {
  switch (workload.kind) {
    case 'Deployment':
      return deploymentStatus(workload as Deployment);
    case 'StatefulSet':
      return summary(statefulSetStatus(workload as StatefulSet));
    case 'DaemonSet':
      return summary(daemonSetStatus(workload as DaemonSet));
    case 'ReplicaSet':
      return replicaSetStatus(workload as ReplicaSet);
    case 'Job':
      return jobStatus(workload as Job);
    default:
      throw invalidOptionError('workload.kind', workload.kind, 'Deployment, StatefulSet, DaemonSet, ReplicaSet or Job');
  }
}

/** A message, and true if nothing more is expected. */
type Rollout = readonly [message: string, isDone: boolean];

function summary([message, isDone]: Rollout, special?: Severity): WorkloadStatusSummary {
  return { isDone, severity: special ?? (isDone ? 'ok' : 'progressing'), message };
}

function deploymentStatus(deployment: Deployment): WorkloadStatusSummary {
  const { metadata, spec, status = {} } = deployment;
  const name = `deployment "${metadata.name}"`;
  const { replicas = 0, updatedReplicas: updated = 0, availableReplicas: available = 0, conditions } = status;
  const waiting = (words: string): Rollout => [`Waiting for ${name} rollout to finish: ${words}...`, false];
  if (!isObserved(deployment)) return summary(['Waiting for deployment spec update to be observed...', false]);
  if (conditions?.find(({ type }) => type === 'Progressing')?.reason === 'ProgressDeadlineExceeded')
    return summary([`${name} exceeded its progress deadline`, false], 'failing');
  const wanted = spec?.replicas ?? updated;
  const rollout: Rollout =
    updated < wanted
      ? waiting(`${updated} out of ${wanted} new replicas have been updated`)
      : replicas > updated
        ? waiting(`${replicas - updated} old replicas are pending termination`)
        : available < updated
          ? waiting(`${available} of ${updated} updated replicas are available`)
          : [`${name} successfully rolled out`, true];
  return summary(rollout, isTrue(conditions, 'ReplicaFailure') ? 'warning' : undefined);
}

function daemonSetStatus(daemonSet: DaemonSet): Rollout {
  if (daemonSet.spec?.updateStrategy?.type === 'OnDelete') return [onlyRollingUpdate, true];
  if (!isObserved(daemonSet)) return ['Waiting for daemon set spec update to be observed...', false];
  const { updatedNumberScheduled: updated = 0, numberAvailable: available = 0 } = daemonSet.status ?? {};
  const { desiredNumberScheduled: wanted = 0 } = daemonSet.status ?? {};
  const name = `daemon set "${daemonSet.metadata.name}"`;
  const waiting = `Waiting for ${name} rollout to finish:`;
  if (updated < wanted) return [`${waiting} ${updated} out of ${wanted} new pods have been updated...`, false];
  if (available < wanted) return [`${waiting} ${available} of ${wanted} updated pods are available...`, false];
  return [`${name} successfully rolled out`, true];
}

function statefulSetStatus(statefulSet: StatefulSet): Rollout {
  const { spec, status } = statefulSet;
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  if (type === 'OnDelete') return [onlyRollingUpdate, true];
  if (!status?.observedGeneration || !isObserved(statefulSet))
    return ['Waiting for statefulset spec update to be observed...', false];
  const { readyReplicas: ready = 0, updatedReplicas: updated = 0, currentReplicas: current = 0 } = status;
  const { currentRevision = '', updateRevision = '' } = status;
  const wanted = spec?.replicas ?? ready;
  if (ready < wanted) return [`Waiting for ${wanted - ready} pods to be ready...`, false];
  if (rollingUpdate !== undefined) {
    const inPartition = wanted - (rollingUpdate.partition ?? wanted);
    return updated < inPartition
      ? [
          `Waiting for partitioned roll out to finish: ${updated} out of ${inPartition} new pods have been updated...`,
          false,
        ]
      : [`partitioned roll out complete: ${updated} new pods have been updated...`, true];
  }
  return updateRevision === currentRevision
    ? [`statefulset rolling update complete ${current} pods at revision ${currentRevision}...`, true]
    : [`waiting for statefulset rolling update to complete ${updated} pods at revision ${updateRevision}...`, false];
}

function replicaSetStatus(replicaSet: ReplicaSet): WorkloadStatusSummary {
  const { replicas = 0, availableReplicas: available = 0, conditions } = replicaSet.status ?? {};
  const wanted = replicaSet.spec?.replicas ?? 0;
  const isDone = isObserved(replicaSet) && replicas === wanted && available >= wanted;
  const special = isTrue(conditions, 'ReplicaFailure') ? 'warning' : undefined;
  return summary([`${replicas} current / ${wanted} desired`, isDone], special);
}

function jobStatus({ metadata, spec, status }: Job): WorkloadStatusSummary {
  const is = (type: string): boolean => isTrue(status?.conditions, type);
  const ended = ['Complete', 'Failed'].find(is);
  const words = metadata.deletionTimestamp === undefined ? undefined : 'Terminating';
  const word = ended ?? words ?? ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(is) ?? 'Running';
  const { completions, parallelism = 0 } = spec ?? {};
  // Without a number of completions, the pods share a work queue: one that succeeds ends the Job.
  const total = completions ?? (parallelism > 1 ? `1 of ${parallelism}` : 1);
  const special = ended === 'Failed' ? 'failed' : ended ? 'done' : is('FailureTarget') ? 'failing' : undefined;
  return summary([`${word} ${status?.succeeded ?? 0}/${total}`, ended !== undefined], special);
}

const onlyRollingUpdate = 'rollout status is only available for RollingUpdate strategy type';

function isObserved({ metadata, status }: DaemonSet | Deployment | ReplicaSet | StatefulSet): boolean {
  return (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
}

type Conditions = readonly { readonly type: string; readonly status: string }[];

function isTrue(conditions: Conditions | undefined, wanted: string): boolean {
  return conditions?.some(({ type, status }) => type === wanted && status === 'True') === true;
}
