import type { OwnerNode, Tally } from 'rx-informers/derived';
import type {
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  Pod,
  ReplicaSet,
  Severity,
  StatefulSet,
} from 'rx-informers/resources';
import type { PodPhase } from '../pods/pod-phase.js';

/** The kinds of the tree, and their resources in the address of an object. */
export const workloadResources = {
  deployments: 'apps/v1/deployments',
  replicaSets: 'apps/v1/replicasets',
  statefulSets: 'apps/v1/statefulsets',
  daemonSets: 'apps/v1/daemonsets',
  cronJobs: 'batch/v1/cronjobs',
  jobs: 'batch/v1/jobs',
  pods: 'v1/pods',
} as const;

export type WorkloadSource = keyof typeof workloadResources;

/** Returns whether the objects of a resource own pods, directly or through others. */
export function isWorkload(resource: string): boolean {
  return resource !== workloadResources.pods && Object.values<string>(workloadResources).includes(resource);
}

/** A node of the owner tree. */
export type WorkloadNode =
  | OwnerNode<Deployment, 'deployments'>
  | OwnerNode<ReplicaSet, 'replicaSets'>
  | OwnerNode<StatefulSet, 'statefulSets'>
  | OwnerNode<DaemonSet, 'daemonSets'>
  | OwnerNode<CronJob, 'cronJobs'>
  | OwnerNode<Job, 'jobs'>
  | OwnerNode<Pod, 'pods'>;

/** The totals of all pods below a node of the tree. */
export interface PodTotals {
  readonly pods: number;
  readonly ready: number;
  readonly restarts: number;
  readonly phases: Tally<PodPhase>;
  readonly severities: Tally<Severity>;
  /** The number of pods for each status text of kubectl. */
  readonly reasons: Tally<string>;
  /** The number of pods in trouble for each status text. */
  readonly troubles: Tally<string>;
}

/** The status of a pod that runs but is not ready. kubectl shows "Running" for it. */
export const notReady = 'not ready';

export const noPods: PodTotals = {
  pods: 0,
  ready: 0,
  restarts: 0,
  phases: {},
  severities: {},
  reasons: {},
  troubles: {},
};

/** Returns the number of pods that a node of the tree should have. */
export function wantedOf(node: WorkloadNode, totals: PodTotals): number {
  switch (node.from) {
    case 'deployments':
    case 'replicaSets':
    case 'statefulSets':
      return node.object.spec?.replicas ?? 1;
    case 'daemonSets':
      return node.object.status?.desiredNumberScheduled ?? totals.pods;
    case 'jobs':
      return node.object.status?.active ?? 0;
    case 'cronJobs':
      return 0;
    case 'pods':
      return totals.severities.done === undefined ? totals.pods : 0;
  }
}

/** Returns the images of the containers that a workload runs. */
export function imagesOf(node: WorkloadNode): readonly string[] {
  const spec =
    node.from === 'pods'
      ? node.object.spec
      : node.from === 'cronJobs'
        ? node.object.spec?.jobTemplate.spec?.template.spec
        : node.object.spec?.template?.spec;
  return (spec?.containers ?? []).map(({ image = '' }) => image);
}

/**
 * Returns the most informative end of an image's name: `shop/web:1.4` for
 * `registry.example.com:5000/team/shop/web:1.4`.
 */
export function shortImage(image: string): string {
  const name = image.replace(/@sha256:([0-9a-f]{8})[0-9a-f]*$/, '@$1');
  return name.slice(name.lastIndexOf('/') + 1);
}
