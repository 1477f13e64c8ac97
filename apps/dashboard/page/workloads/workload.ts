import type { Tally } from 'rx-informers/derived';
import { isTrouble, severities, type Job, type Severity } from 'rx-informers/resources';
import { deletionOf, terminating } from '../text/deletion.js';
import { isUnconfirmed } from '../writes/unconfirmed.js';
import { rolloutOf, revisionOf, type Revision, type Rollout } from './rollout.js';
import { imagesOf, wantedOf, type PodTotals, type WorkloadNode, type WorkloadSource } from './workload-node.js';

/** The row of a root of the owner tree. */
export interface Workload {
  readonly uid: string;
  readonly from: WorkloadSource;
  /** The kind: `Deployment`, `StatefulSet`, … */
  readonly kind: string;
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** The severity of the worst pod, or of the workload itself. */
  readonly severity: Severity;
  /** The status in a few words: `CrashLoopBackOff ×3`, `rolling out`, `Terminating`. */
  readonly status: string;
  readonly totals: PodTotals;
  readonly wanted: number;
  readonly images: readonly string[];
  /** The ReplicaSets of a Deployment that have pods or should have some, the newest first. */
  readonly revisions: readonly Revision[];
  /** The progress to a new revision; `undefined` if no rollout is in progress. */
  readonly rollout: Rollout | undefined;
  /** Whether the row shows a write that the watch has not confirmed. */
  readonly isUnconfirmed: boolean;
}

/** The inputs for the row of a root. */
export interface WorkloadParts {
  readonly node: WorkloadNode;
  readonly totals: PodTotals;
  /** The number of pods that are not ready yet, but for less than a minute; default: 0. */
  readonly settling?: number;
  /** The ReplicaSets of a Deployment, each with the totals of its pods. */
  readonly replicaSets: readonly { readonly node: WorkloadNode; readonly totals: PodTotals }[];
}

/** Returns the row of a root of the owner tree. */
export function workloadOf({ node, totals, replicaSets, settling = 0 }: WorkloadParts): Workload {
  const { uid, from, key, object } = node;
  const { name, namespace = '', creationTimestamp, labels } = object.metadata;
  const revisions = replicaSets
    .map((each) => revisionOf(each.node, each.totals))
    .sort((a, b) => b.number - a.number)
    .filter(({ totals: { pods }, wanted }, index) => index === 0 || pods > 0 || wanted > 0);
  const wanted = wantedOf(node, totals);
  const rollout = rolloutOf(node, revisions, totals, wanted);
  const parts = { node, totals, wanted, rollout, settling };
  const severity = severityOf(parts);
  return {
    uid,
    from,
    kind: kindNames[from],
    key,
    namespace,
    name,
    createdAt: creationTimestamp,
    labels: podLabelsOf(node) ?? labels ?? {},
    severity,
    status: statusText(parts, severity),
    totals,
    wanted,
    images: imagesOf(node),
    revisions,
    rollout,
    isUnconfirmed: isUnconfirmed(object),
  };
}

/** The kind of the objects of each source. */
export const kindNames: Readonly<Record<WorkloadSource, string>> = {
  deployments: 'Deployment',
  replicaSets: 'ReplicaSet',
  statefulSets: 'StatefulSet',
  daemonSets: 'DaemonSet',
  cronJobs: 'CronJob',
  jobs: 'Job',
  pods: 'Pod',
};

interface StatusParts {
  readonly node: WorkloadNode;
  readonly totals: PodTotals;
  readonly wanted: number;
  readonly rollout: Rollout | undefined;
  readonly settling: number;
}

/**
 * Returns the severity of a workload, by the first rule that applies.
 *
 * | rule | severity |
 * | --- | --- |
 * | a pod is failing or has failed | the severity of the worst pod |
 * | the workload is being deleted | `progressing` |
 * | a Job has failed | `failed` |
 * | a rollout is blocked | `failing` |
 * | a rollout is in progress | `progressing` |
 * | a pod has a warning, unless it has been not ready for less than a minute | `warning` |
 * | a Job is complete | `done` |
 * | pods are starting or terminating | `progressing` |
 * | fewer pods are ready than wanted | `warning` |
 * | there are no pods and none are wanted, or all pods have completed | `done` |
 * | otherwise | `ok` |
 */
function severityOf({ node, totals, wanted, rollout, settling }: StatusParts): Severity {
  const worst = worstOf(totals.severities);
  if (worst === 'failing' || worst === 'failed') return worst;
  if (deletionOf(node.object) !== undefined) return 'progressing';
  if (hasFailed(node)) return 'failed';
  if (rollout?.blockedBy !== undefined) return 'failing';
  if (rollout !== undefined) return 'progressing';
  if ((totals.severities.warning ?? 0) > settling) return 'warning';
  if (isComplete(node)) return 'done';
  if (worst === 'progressing' || settling > 0) return 'progressing';
  if (totals.ready < wanted) return 'warning';
  if (worst === 'done' && totals.ready === 0) return 'done';
  return wanted === 0 && totals.pods === 0 ? 'done' : 'ok';
}

function statusText({ node, totals, wanted, rollout }: StatusParts, severity: Severity): string {
  if (deletionOf(node.object) !== undefined) return terminating;
  if (isTrouble(severity)) {
    if (hasFailed(node)) return 'failed';
    const [trouble, count = 0] = Object.entries(totals.troubles).sort(byCount)[0] ?? [];
    if (trouble !== undefined) return totals.pods === 1 ? trouble : `${trouble} ×${count}`;
    return rollout?.blockedBy ?? (totals.pods === 0 ? 'no pods' : 'not ready');
  }
  if (rollout !== undefined) return rollout.isPaused ? 'paused' : rollout.isScaling ? 'scaling' : 'rolling out';
  if (isComplete(node)) return 'complete';
  if (node.from === 'cronJobs') return node.object.spec?.suspend === true ? 'suspended' : 'scheduled';
  if (node.from === 'jobs' || severity === 'progressing') return severity === 'progressing' ? 'starting' : 'running';
  if (severity === 'done') return wanted === 0 ? 'scaled to zero' : 'completed';
  return 'ready';
}

function byCount([, a = 0]: [string, number | undefined], [, b = 0]: [string, number | undefined]): number {
  return b - a;
}

/** Returns the worst severity that occurs. */
export function worstOf(tally: Tally<Severity>): Severity | undefined {
  return severities.find((severity) => tally[severity]);
}

function isComplete(node: WorkloadNode): boolean {
  return node.from === 'jobs' && hasCondition(node.object, 'Complete');
}

function hasFailed(node: WorkloadNode): boolean {
  return node.from === 'jobs' && hasCondition(node.object, 'Failed');
}

function hasCondition({ status }: Job, name: string): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === name && is === 'True') === true;
}

/** Returns the labels of the pods that a workload creates, if its template states them. */
export function podLabelsOf(node: WorkloadNode): Readonly<Record<string, string>> | undefined {
  return node.from === 'pods' || node.from === 'cronJobs' ? undefined : node.object.spec?.template?.metadata?.labels;
}
