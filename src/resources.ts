/**
 * Every kind that is built into Kubernetes: its descriptor, and the type of its objects. Also the
 * status of pods, nodes and workloads, as kubectl prints it, and functions for objects and label
 * selectors.
 */
export * from './kubernetes/resources/everyday.js';
export * from './kubernetes/resources/other.js';

export { podStatus, type PodStatusOptions, type PodStatusSummary } from './kubernetes/status/pod-status.js';
export { nodeStatus, type NodeStatusSummary } from './kubernetes/status/node-status.js';
export { workloadStatus, type Workload, type WorkloadStatusSummary } from './kubernetes/status/workload-status.js';
export { isTrouble, severities, type Severity, type StatusSummary } from './kubernetes/status/status-summary.js';

// Objects, and their kinds
export { apiVersionOf } from './kubernetes/resource.js';
export type { GroupVersion, ResourceDefinition } from './kubernetes/resource.js';
export { compareResourceVersions, dropManagedFields } from './kubernetes/object.js';
export type {
  AnyKubernetesObject,
  ObjectFromServer,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  PartialObjectMetadata,
  JsonForm,
} from './kubernetes/object.js';

// Label selectors
export { formatLabelSelector, matchesLabelSelector, nothingSelector } from './kubernetes/selector.js';
export type {
  CheckedSelector,
  LabelSelector,
  LabelSelectorExpression,
  LabelSelectorObject,
} from './kubernetes/selector.js';
export { parseLabelSelector } from './kubernetes/parse-label-selector.js';
export type { Labels, SelectorOperator, SelectorRequirement } from './kubernetes/selector-requirement.js';
