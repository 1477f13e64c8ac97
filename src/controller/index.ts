export { defaultControllerRateLimiter } from './queue/default-controller-rate-limiter.js';
export { fastSlow, type FastSlowOptions } from './queue/fast-slow.js';
export { InvalidQueueInputError } from './queue/invalid-queue-input-error.js';
export { itemExponentialBackoff, type ItemExponentialBackoffOptions } from './queue/item-exponential-backoff.js';
export { maxOf } from './queue/max-of.js';
export { defaultPriority, lowPriority } from './queue/priority.js';
export type { AddOptions, QueueItem } from './queue/queue-item.js';
export { noQueueMetrics, type QueueGauges, type QueueMetrics } from './queue/queue-metrics.js';
export type { RateLimiter } from './queue/rate-limiter.js';
export { tokenBucket, type TokenBucketOptions } from './queue/token-bucket.js';
export { withMaxWait } from './queue/with-max-wait.js';
export { WorkQueue, type QueueOptions } from './queue/work-queue.js';
export { DrainEndedError } from './workqueue/drain-ended-error.js';
export { keys, type KeyReason } from './workqueue/keys.js';
export type { KeyRequest, QueueInput } from './workqueue/queue-input.js';
export { RateLimiterError } from './workqueue/rate-limiter-error.js';
export type { ValueOf } from './workqueue/work.js';
export { requeueAfter, RequeueAfter, type RequeueAfterOptions } from './workqueue/requeue-after.js';
export { results } from './workqueue/results.js';
export type { ResultOf, ResultOfValue, RunContext } from './workqueue/run.js';
export { RunStoppedError } from './workqueue/run-stopped-error.js';
export { RunTimeoutError } from './workqueue/run-timeout-error.js';
export type { Skipped } from './workqueue/skipped.js';
export { TerminalError } from './workqueue/terminal-error.js';
export { workqueue } from './workqueue/workqueue.js';
export type {
  InputRefused,
  KeyDropped,
  KeyHeld,
  KeyReleased,
  RunEmitted,
  RunFailed,
  RunSkipped,
  RunStarted,
  RunSucceeded,
  WorkqueueEvent,
} from './workqueue/workqueue-event.js';
export type { WorkqueueOptions } from './workqueue/workqueue-options.js';
export { ApiCall } from './api/api-call.js';
export type { WriteVerb } from './api/recording-client.js';
export { CallTimeoutError } from './api/call-timeout-error.js';
export { EditConflictError } from './api/edit-conflict-error.js';
export type { AppliedObject, DeepPartial, NewObject, StatedMetadata, Target } from './api/object-types.js';
export type {
  ApplyOptions,
  CallOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  ListOptions,
  PatchOptions,
  SelectionOptions,
  WriteOptions,
} from './api/call-options.js';
export { ignoreNotFound, isAlreadyExists, isConflict, isForbidden, isNotFound } from './api/refusals.js';
export type { ReadCache } from './api/read-cache.js';
export { resourceClient, type ResourceClient, type ResourceClientOptions } from './api/resource-client.js';
export {
  findCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
  type AnyCondition,
  type Condition,
  type NewCondition,
} from './write/conditions.js';
export type { ConflictRetryOptions } from './write/conflict-retry.js';
export {
  createOrUpdate,
  type CreateOrUpdateOptions,
  type CreateOrUpdateResult,
  type WantedObject,
} from './write/create-or-update.js';
export { edit, type EditOptions } from './write/edit.js';
export { fieldErrors, type FieldError } from './write/field-errors.js';
export { finalize, type FinalizeOptions } from './write/finalize.js';
export {
  ensureFinalizer,
  hasFinalizer,
  isTerminating,
  removeFinalizer,
  type FinalizerOptions,
} from './write/finalizers.js';
export { NotJsonError } from './write/json-patch/to-json.js';
export { ObjectDeletedError } from './write/object-deleted-error.js';
export { ObjectTerminatingError } from './write/object-terminating-error.js';
export { OwnerReferenceError, type OwnerReferenceProblem } from './write/owner-reference-error.js';
export {
  controllerOf,
  hasControllerReference,
  isControlledBy,
  ownerReferenceTo,
  hasOwnerReference,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
  type Ownable,
  type Owned,
  type OwnerReferenceEntry,
  type OwnerReferenceOptions,
} from './write/owner-references.js';
export { RecipeError, type RecipeProblem } from './write/recipe-error.js';
export type { Editable, Recipe } from './write/recipe.js';
export { retryOnConflict, type RetryOnConflictOptions } from './write/retry-on-conflict.js';
export { StatusIgnoredError } from './write/status-ignored-error.js';
export type { EventDetails, EventObject } from './events/event-object.js';
export type { EventRecorderOptions } from './events/event-recorder-options.js';
export { eventRecorder, type CloseOptions, type EventRecorder } from './events/event-recorder.js';
export { InvalidEventDetailsError } from './events/invalid-event-error.js';
export { noEvents } from './events/no-events.js';
export type { ObjectReference, Regarding } from './events/object-reference.js';
export type {
  EventDropped,
  EventLost,
  EventRefused,
  EventRetried,
  EventWritten,
  RecordingOutcome,
} from './events/recording-outcome.js';
export type { SpamFilterOptions } from './events/spam-filter.js';
export type { HookFailed } from './contained.js';
export { silentLogger, type LogFields, type Logger } from './logger.js';
export type { Metrics, ObservableInformer } from './metrics/metrics.js';
export { CollectionEndedError } from './reconcile/collection-ended-error.js';
export { controller, type Controller } from './reconcile/controller.js';
export type {
  ChangeFilter,
  ControllerOptions,
  FilteredCollection,
  OwnedCollection,
  OwnedSource,
  PrimarySource,
  WatchedSource,
} from './reconcile/controller-options.js';
export type { DebounceOptions } from './reconcile/debounce-keys.js';
export { MappedKeyError } from './reconcile/mapped-key-error.js';
export type { MappedKeys } from './reconcile/mapped-keys.js';
export type { Readiness } from './reconcile/readiness.js';
export type {
  CacheRecovered,
  CacheWaiting,
  ControllerStopped,
  ControllerStopping,
  ControllerSynced,
  KeyHeldUnobserved,
  KeyReleasedUnobserved,
  ReconcileEvent,
  SyncTimeout,
  TriggerFailed,
} from './reconcile/reconcile-event.js';
export type { UnobservedWrite } from './reconcile/observe-writes.js';
export type { ReconcileMetrics, ReconcileOutcome } from './reconcile/reconcile-metrics.js';
export type {
  ExternalTrigger,
  OwnedChanged,
  PrimaryChanged,
  ReconcileReason,
  RequeueWanted,
  RetryOfFailure,
  WatchedChanged,
} from './reconcile/reconcile-reason.js';
export type { ReconcileRequest } from './reconcile/reconcile-request.js';
export { leader$, type LeaderElection } from './leader-election/leader.js';
export type { LeaderElectionMetrics } from './leader-election/leader-election-metrics.js';
export type { LeaderOptions } from './leader-election/election-config.js';
export type { Leadership, Leading, LossCause, Lost, Standby } from './leader-election/leadership.js';
export { LeaseExpiredError } from './lease/lease-expired-error.js';
export type { Release, MembershipRelease } from './lease/release.js';
export { RenewDeadlineError } from './leader-election/renew-deadline-error.js';
export { TakenOverError } from './leader-election/taken-over-error.js';
export { whileLeading, type WhileLeadingOptions } from './leader-election/while-leading.js';
export type { LeaseError } from './lease/lease-error.js';
export type { LeaseName } from './lease/lease-name.js';
export { MalformedLeaseError } from './lease/malformed-lease-error.js';
export { gainedKeys, type GainedKeysOptions, type GainedReason } from './membership/gained-keys.js';
export { KeyLostError } from './membership/key-lost-error.js';
export { ownedKeys } from './membership/owned-keys.js';
export {
  IdentityInUseError,
  LeaseDeletedError,
  LeaseRequestError,
  ReleaseTimeoutError,
  ShardRenewDeadlineError,
  StaleWatchError,
  UnreadableLeaseError,
  type MembershipError,
} from './membership/membership-error.js';
export type { MembershipOptions } from './membership/membership-options.js';
export type { KeySet, MembershipState } from './membership/membership-state.js';
export type { MembershipStatus } from './membership/membership-status.js';
export type { MembershipMetrics } from './membership/membership-metrics.js';
export { membership$, type Membership } from './membership/membership.js';
export { whereOwned } from './membership/where-owned.js';
export { whileOwned, type OwnedRun } from './membership/while-owned.js';
export { overlay, type OverlaidSource, type OverlayOptions, type ShowOptions } from '../sources/overlay.js';
