export {
  defaultControllerRateLimiter,
  fastSlow,
  type FastSlowOptions,
  itemExponentialBackoff,
  type ItemExponentialBackoffOptions,
  maxOf,
  tokenBucket,
  type TokenBucketOptions,
  withMaxWait,
} from './queue/rate-limiters.js';
export {
  InvalidQueueInputError,
  DrainEndedError,
  RateLimiterError,
  RunStoppedError,
  RunTimeoutError,
  TerminalError,
} from './queue/errors.js';
export { defaultPriority, lowPriority } from './queue/queue-item.js';
export type { AddOptions, QueueItem, KeyRequest, QueueInput } from './queue/queue-item.js';
export { noQueueMetrics, type QueueGauges, type QueueMetrics } from './queue/queue-metrics.js';
export type { RateLimiter } from './queue/rate-limiters.js';
export { WorkQueue, type QueueOptions } from './queue/priority-queue.js';
export { keys, type KeyReason } from './workqueue/changed-keys.js';
export type { ValueOf, ResultOf, ResultOfValue, RunContext } from './workqueue/run.js';
export { requeueAfter, RequeueAfter, type RequeueAfterOptions } from './workqueue/outcome.js';
export { results } from './workqueue/workqueue-event.js';
export type { Skipped } from './workqueue/outcome.js';
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
export {
  CallTimeoutError,
  EditConflictError,
  ignoreNotFound,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  fieldErrors,
  type FieldError,
  ObjectDeletedError,
  ObjectTerminatingError,
  RecipeError,
  type RecipeProblem,
  StatusIgnoredError,
} from './api/errors.js';
export type {
  AppliedObject,
  DeepPartial,
  NewObject,
  StatedMetadata,
  Target,
  ApplyOptions,
  CallOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  ListOptions,
  PatchOptions,
  SelectionOptions,
  WriteOptions,
  ReadCache,
} from './api/call-options.js';
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
export type { ConflictRetryOptions } from './write/retry-on-conflict.js';
export {
  createOrUpdate,
  type CreateOrUpdateOptions,
  type CreateOrUpdateResult,
  type WantedObject,
} from './write/create-or-update.js';
export { edit, type EditOptions } from './write/edit.js';
export {
  finalize,
  type FinalizeOptions,
  ensureFinalizer,
  hasFinalizer,
  isTerminating,
  removeFinalizer,
  type FinalizerOptions,
} from './write/finalizers.js';
export { NotJsonError } from './write/json-patch/to-json.js';
export {
  OwnerReferenceError,
  type OwnerReferenceProblem,
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
export type { Editable, Recipe } from './write/recipe.js';
export { retryOnConflict, type RetryOnConflictOptions } from './write/retry-on-conflict.js';
export type { EventDetails, EventObject, ObjectReference, Regarding } from './events/event-object.js';
export { eventRecorder } from './events/event-recorder.js';
export {
  noEvents,
  type CloseOptions,
  type EventRecorder,
  type EventRecorderOptions,
} from './events/recorder-options.js';
export { InvalidEventDetailsError } from './events/recording-outcome.js';
export type {
  EventDropped,
  EventLost,
  EventRefused,
  EventRetried,
  EventWritten,
  RecordingOutcome,
} from './events/recording-outcome.js';
export type { SpamFilterOptions } from './events/series.js';
export type { HookFailed } from './contained.js';
export { silentLogger, type LogFields, type Logger } from './logger.js';
export type { Metrics } from './metrics/metrics.js';
export type { ObservableInformer } from './metrics/informer-meters.js';
export { CollectionEndedError, controller, type Controller } from './reconcile/controller.js';
export type {
  ChangeFilter,
  ControllerOptions,
  FilteredCollection,
  OwnedCollection,
  OwnedSource,
  PrimarySource,
  WatchedSource,
  ReconcileRequest,
  MappedKeys,
} from './reconcile/controller-options.js';
export type { DebounceOptions } from './reconcile/debounce-keys.js';
export { MappedKeyError } from './reconcile/triggers.js';
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
  ExternalTrigger,
  OwnedChanged,
  PrimaryChanged,
  ReconcileReason,
  RequeueWanted,
  RetryOfFailure,
  WatchedChanged,
  UnobservedWrite,
} from './reconcile/reconcile-event.js';
export type { ReconcileMetrics, ReconcileOutcome } from './reconcile/reconcile-metrics.js';
export { leader$, type LeaderElection } from './leader-election/leader.js';
export type { LeaderElectionMetrics, LeaderOptions } from './leader-election/election-config.js';
export type { Leadership, Leading, LossCause, Lost, Standby } from './leader-election/leadership.js';
export {
  LeaseExpiredError,
  RenewDeadlineError,
  TakenOverError,
  MalformedLeaseError,
  KeyLostError,
  IdentityInUseError,
  LeaseDeletedError,
  LeaseRequestError,
  ReleaseTimeoutError,
  ShardRenewDeadlineError,
  StaleWatchError,
  UnreadableLeaseError,
  type MembershipError,
} from './lease/lease-errors.js';
export type { Release, MembershipRelease } from './lease/release.js';
export { whileLeading, type WhileLeadingOptions } from './leader-election/while-leading.js';
export type { LeaseError } from './lease/lease-errors.js';
export type { LeaseName } from './lease/lease-record.js';
export {
  gainedKeys,
  type GainedKeysOptions,
  type GainedReason,
  ownedKeys,
  whereOwned,
} from './membership/owned-keys.js';
export type { MembershipOptions, MembershipMetrics } from './membership/membership-options.js';
export type { KeySet, MembershipState } from './membership/membership-state.js';
export type { MembershipStatus } from './membership/membership-status.js';
export { membership$, type Membership } from './membership/membership.js';
export { whileOwned, type OwnedRun } from './membership/while-owned.js';
export { overlay, type OverlaidSource, type OverlayOptions, type ShowOptions } from '../sources/overlay.js';
