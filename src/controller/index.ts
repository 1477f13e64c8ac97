// The input of the queue: the keys of changes, and requests with a priority or a delay.
export { changedKeys, type KeyReason } from './workqueue/changed-keys.js';
export { lowPriority, type KeyRequest, type QueueInput } from './queue/queue-item.js';

// The queue: runs each key, never twice at the same time, and retries failed runs.
export { workqueue } from './workqueue/workqueue.js';
export type { WorkqueueOptions } from './workqueue/workqueue-options.js';
export { requeueAfter, type RequeueAfter, type RequeueAfterOptions, type Skipped } from './workqueue/outcome.js';
export type { RunContext } from './workqueue/run.js';
export { withSettled, type Work } from './workqueue/with-settled.js';
export { resultsOf, type WorkqueueEvent } from './workqueue/workqueue-event.js';
export {
  defaultControllerRateLimiter,
  fastSlow,
  itemExponentialBackoff,
  maxOf,
  tokenBucket,
  withMaxWait,
  type FastSlowOptions,
  type ItemExponentialBackoffOptions,
  type RateLimiter,
  type TokenBucketOptions,
} from './queue/rate-limiters.js';
export { TerminalError } from './queue/errors.js';

// Controllers: their collections, the triggers of runs, and `reconcile`.
export { controller, type Controller } from './reconcile/controller.js';
export type {
  ChangeFilter,
  ClientOfRun,
  ControllerOptions,
  FilteredCollection,
  MappedKeys,
  OwnedCollection,
  OwnedSource,
  PrimarySource,
  ReconcileRequest,
  WatchedSource,
} from './reconcile/controller-options.js';
export type { DebounceOptions } from './reconcile/debounce-keys.js';

export type { Readiness } from './reconcile/readiness.js';
export type { ReconcileEvent, ReconcileReason, UnobservedWrite } from './reconcile/reconcile-event.js';

// Owners, finalizers, conditions.
export {
  controllerOf,
  hasControllerReference,
  hasOwnerReference,
  isControlledBy,
  ownerReferenceTo,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
  type Ownable,
  type WithOwner,
  type OwnerReferenceEntry,
  type OwnerReferenceOptions,
  type OwnerReferenceProblem,
} from './write/owner-references.js';
export type { OwnerReference } from '../kubernetes/object.js';
export {
  ensureFinalizer,
  withFinalizer,
  hasFinalizer,
  isTerminating,
  removeFinalizer,
  type WithFinalizerOptions,
  type FinalizerOptions,
} from './write/finalizers.js';
export {
  findCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
  type AnyCondition,
  type Condition,
  type NewCondition,
} from './write/conditions.js';

// A cache that shows the writes of this process before the watch shows them.
export { overlay, type OverlaidSource, type OverlayOptions, type ShowOptions } from '../sources/overlay/overlay.js';

// Events of Kubernetes: what a controller reports about an object.
export type { EventDetails, EventObject, ObjectReference } from './events/event-object.js';
export { eventRecorder } from './events/event-recorder.js';
export {
  noEvents,
  type CloseOptions,
  type EventRecorder,
  type EventRecorderOptions,
} from './events/recorder-options.js';

export type { RecordingOutcome } from './events/recording-outcome.js';

// Leader election: one replica works at a time.
export { leader$, type LeaderElection } from './leader-election/leader.js';
export type { LeaderElectionMetrics, LeaderOptions } from './leader-election/leader-options.js';
export type { LeaseOptions } from './lease/lease-options.js';
export type { Leadership, Leading } from './leader-election/leadership.js';
export { type MembershipError } from './lease/lease-errors.js';
export type { LeaseRelease } from './lease/release-lease.js';
export { whileLeading, type WhileLeadingOptions } from './leader-election/while-leading.js';
export type { HandOver, RunHandOver, WrittenVersions } from './lease/written-versions.js';
export type { LeaseError } from './lease/lease-errors.js';
export type { LeaseName } from './lease/lease-record.js';

// Group membership: each replica works on a part of the keys.
export {
  newlyOwnedKeys,
  type NewlyOwnedKeysOptions,
  type GainedReason,
  ownedKeys,
  whereOwned,
} from './membership/owned-keys.js';
export type { MembershipOptions, MembershipMetrics } from './membership/membership-options.js';
export type { KeySet, MembershipState } from './membership/membership-state.js';
export { membership$, type Membership } from './membership/membership.js';
export { whileOwned, type OwnedRun } from './membership/while-owned.js';

// Logs and metrics.
export { silentLogger, type LogFields, type Logger } from '../requests/logger.js';
export type { QueueGauges, QueueMetrics } from './queue/queue-metrics.js';
export type { ReconcileMetrics, ReconcileOutcome } from './reconcile/reconcile-metrics.js';
export type { Metrics } from './metrics/metrics.js';
export type { ObservableInformer } from './metrics/informer-meters.js';
