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
export { keys, type KeyReason } from './workqueue/keys.js';
export type { KeyRequest, QueueInput } from './workqueue/queue-input.js';
export { RateLimiterError } from './workqueue/rate-limiter-error.js';
export { requeueAfter, RequeueAfter } from './workqueue/requeue-after.js';
export { results } from './workqueue/results.js';
export type { ResultOf, ResultOfValue, RunContext } from './workqueue/run.js';
export { RunStoppedError } from './workqueue/run-stopped-error.js';
export { RunTimeoutError } from './workqueue/run-timeout-error.js';
export { TerminalError } from './workqueue/terminal-error.js';
export { workqueue } from './workqueue/workqueue.js';
export type {
  InputRefused,
  KeyDropped,
  RunEmitted,
  RunFailed,
  RunStarted,
  RunSucceeded,
  WorkqueueEvent,
} from './workqueue/workqueue-event.js';
export type { WorkqueueOptions } from './workqueue/workqueue-options.js';
export { ApiCall } from './api/api-call.js';
export { CallTimeoutError } from './api/call-timeout-error.js';
export type { AppliedObject, DeepPartial, NewObject, StatedMetadata, Target } from './api/object-types.js';
export {
  resourceClient,
  type ApplyOptions,
  type CallOptions,
  type DeleteOptions,
  type PatchOptions,
  type ResourceClient,
  type ResourceClientOptions,
  type WriteOptions,
} from './api/resource-client.js';
export { silentLogger, type LogFields, type Logger } from './logger.js';
