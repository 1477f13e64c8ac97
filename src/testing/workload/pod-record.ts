import { aPod } from '../factories/a-pod.js';
import type { OwnerLike } from '../factories/factory-options.js';
import type { Pod } from '../../kubernetes/resources/core.js';

/** An app of the workload: a Deployment, its ReplicaSet, and the pods that the workload makes in its name. */
export interface App {
  readonly namespace: string;
  readonly name: string;
  readonly replicaSet: OwnerLike;
}

/** A pod as the workload remembers it. */
export interface PodRecord {
  readonly app: App;
  readonly name: string;
  readonly stage: 'pending' | 'scheduled' | 'running' | 'finished' | 'terminating';
  readonly node?: string;
  readonly restarts: number;
}

const phases = {
  pending: 'Pending',
  scheduled: 'Pending',
  running: 'Running',
  finished: 'Succeeded',
  terminating: 'Running',
} as const;

export function podOf({ app, name, stage, node, restarts }: PodRecord): Pod {
  return aPod({
    name,
    namespace: app.namespace,
    labels: { app: app.name },
    node,
    phase: phases[stage],
    ready: stage === 'running',
    restarts,
    owner: app.replicaSet,
  });
}
