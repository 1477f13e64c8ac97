import type { Deployment } from 'rx-informers/resources';
import { imagesOf, notReady, wantedOf, type PodTotals, type WorkloadNode } from './workload-node.js';

/** One ReplicaSet of a Deployment. */
export interface Revision {
  readonly uid: string;
  readonly key: string;
  readonly name: string;
  /** The value of the annotation `deployment.kubernetes.io/revision`; 0 without the annotation. */
  readonly number: number;
  readonly images: readonly string[];
  readonly createdAt: string | undefined;
  readonly wanted: number;
  readonly totals: PodTotals;
}

/** The progress of a workload to its new revision. */
export interface Rollout {
  /** The number of pods of the new revision, and of those that are ready. */
  readonly updated: number;
  readonly ready: number;
  readonly wanted: number;
  /** The number of pods of earlier revisions that must still be removed. */
  readonly old: number;
  /** The reason why the rollout does not continue. */
  readonly blockedBy: string | undefined;
  readonly isPaused: boolean;
  /** Whether only the number of pods changes. */
  readonly isScaling: boolean;
}

export function revisionOf(node: WorkloadNode, totals: PodTotals): Revision {
  const { name, annotations, creationTimestamp } = node.object.metadata;
  return {
    uid: node.uid,
    key: node.key,
    name,
    number: Number(annotations?.['deployment.kubernetes.io/revision'] ?? 0) || 0,
    images: imagesOf(node),
    createdAt: creationTimestamp,
    wanted: wantedOf(node, totals),
    totals,
  };
}

/**
 * Returns the progress of a workload to a new revision, by the rules of `kubectl rollout status`.
 */
export function rolloutOf(
  node: WorkloadNode,
  revisions: readonly Revision[],
  totals: PodTotals,
  wanted: number,
): Rollout | undefined {
  switch (node.from) {
    case 'deployments':
      return rolloutOfDeployment(node.object, revisions, wanted);
    case 'statefulSets': {
      const { status, metadata } = node.object;
      const updated = status?.updatedReplicas ?? wanted;
      const isUpdating = status?.updateRevision !== undefined && status.updateRevision !== status.currentRevision;
      const old = isUpdating ? Math.max(0, totals.pods - updated) : 0;
      const progress = { updated: isUpdating ? updated : totals.pods, ready: totals.ready, wanted, old };
      // With the strategy OnDelete, the controller never reports the end of an update.
      return unlessDone(progress, metadata, status, isUpdating && totals.ready < wanted);
    }
    case 'daemonSets': {
      const { status, metadata } = node.object;
      const updated = status?.updatedNumberScheduled ?? wanted;
      const old = Math.max(0, wanted - updated);
      return unlessDone({ updated, ready: totals.ready, wanted, old }, metadata, status);
    }
    default:
      return undefined;
  }
}

interface Observed {
  readonly observedGeneration?: number | undefined;
}

type Progress = Pick<Rollout, 'updated' | 'ready' | 'wanted' | 'old'>;

function unlessDone(
  progress: Progress,
  { generation }: { readonly generation?: number | undefined },
  status: Observed | undefined,
  isRolling = false,
): Rollout | undefined {
  const { updated, wanted, old } = progress;
  if (old === 0 && updated === wanted && !isRolling && !isUnobserved(generation, status)) return undefined;
  return { ...progress, blockedBy: undefined, isPaused: false, isScaling: old === 0 && !isRolling };
}

/** The reasons of the condition `Progressing` while pods of a new revision are not available yet. */
const rolling: ReadonlySet<string> = new Set(['NewReplicaSetCreated', 'FoundNewReplicaSet', 'ReplicaSetUpdated']);

function rolloutOfDeployment(
  { spec, status, metadata }: Deployment,
  [current, ...others]: readonly Revision[],
  wanted: number,
): Rollout | undefined {
  const updated = staying(current?.totals);
  const old = others.reduce((sum, { totals }) => sum + staying(totals), 0);
  const isPaused = spec?.paused === true;
  const isUnseen = isUnobserved(metadata.generation, status);
  const progressing = status?.conditions?.find(({ type }) => type === 'Progressing');
  const failure = status?.conditions?.find(({ type, status: is }) => type === 'ReplicaFailure' && is === 'True');
  const isLate = progressing?.reason === 'ProgressDeadlineExceeded';
  // The controller reports a rollout until all of its pods are available. Scaling does not count.
  const isRolling = progressing?.status === 'True' && rolling.has(progressing.reason ?? '');
  const isMoving = old > 0 || updated !== wanted || isUnseen || isRolling;
  if (!isMoving && !isLate && failure === undefined) return undefined;
  return {
    updated,
    ready: current?.totals.ready ?? 0,
    wanted,
    old,
    isPaused,
    isScaling: old === 0 && !isLate && !isRolling && failure === undefined,
    blockedBy: blockOf(isLate, failure?.message, current),
  };
}

/**
 * Returns the reason why a rollout does not continue: the message of the controller, or the most
 * frequent trouble of the new pods.
 */
function blockOf(isLate: boolean, failure: string | undefined, current: Revision | undefined): string | undefined {
  if (failure !== undefined) return failure;
  const [trouble] =
    Object.entries(current?.totals.troubles ?? {})
      // New pods are not ready at first.
      .filter(([reason]) => isLate || reason !== notReady)
      .sort(([, a = 0], [, b = 0]) => b - a)[0] ?? [];
  if (trouble !== undefined) return `${trouble} in new pods`;
  return isLate ? 'no progress within its deadline' : undefined;
}

/**
 * Returns the number of pods that are neither terminating nor ended. A controller replaces ended
 * pods.
 */
function staying(totals: PodTotals | undefined): number {
  if (totals === undefined) return 0;
  const { terminating = 0, failed = 0, succeeded = 0 } = totals.phases;
  return totals.pods - terminating - failed - succeeded;
}

function isUnobserved(generation: number | undefined, status: Observed | undefined): boolean {
  const { observedGeneration } = status ?? {};
  return generation !== undefined && observedGeneration !== undefined && observedGeneration < generation;
}
