import type { KubernetesObject, ObjectMeta } from '../object.js';
import { clusterScoped, namespaced, type Resource } from '../resource.js';

/** The usage of a node or a container, as quantities, for example `250m` and `64Mi`. */
export interface ResourceUsage {
  readonly cpu: string;
  readonly memory: string;
}

/** What metrics of nodes and pods have in common. */
interface Measured extends KubernetesObject {
  readonly metadata: ObjectMeta;
  /** The end of the measured time. */
  readonly timestamp: string;
  /** The length of the measured time, for example `10.062s`. */
  readonly window: string;
}

/** The usage of a node (`NodeMetrics` of `metrics.k8s.io/v1beta1`). */
export interface NodeMetrics extends Measured {
  readonly usage: ResourceUsage;
}

/** The usage of the containers of a pod (`PodMetrics` of `metrics.k8s.io/v1beta1`). */
export interface PodMetrics extends Measured {
  readonly containers: readonly { readonly name: string; readonly usage: ResourceUsage }[];
}

/**
 * `nodes` of `metrics.k8s.io/v1beta1`, cluster-scoped. The API cannot be watched: list it again
 * with `resourceClient`.
 */
export const nodeMetrics: Resource<NodeMetrics> = /*#__PURE__*/ clusterScoped(
  'metrics.k8s.io',
  'v1beta1',
  'nodes',
  'NodeMetrics',
);

/**
 * `pods` of `metrics.k8s.io/v1beta1`, in namespaces. The API cannot be watched: list it again with
 * `resourceClient`.
 */
export const podMetrics: Resource<PodMetrics> = /*#__PURE__*/ namespaced(
  'metrics.k8s.io',
  'v1beta1',
  'pods',
  'PodMetrics',
);
