/**
 * Every kind that is built into Kubernetes: its descriptor, and the type of its objects. Also
 * `podStatus` and `nodeStatus`, which return the status that kubectl prints, in one word.
 */
export * from './kubernetes/resources/everyday.js';
export * from './kubernetes/resources/other.js';

export { podStatus, type PodStatusOptions, type PodStatusSummary } from './kubernetes/status/pod-status.js';
export { nodeStatus, type NodeStatusSummary } from './kubernetes/status/node-status.js';
export { isTrouble, severities, type Severity, type StatusSummary } from './kubernetes/status/status-summary.js';
