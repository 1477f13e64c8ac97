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
export { keys, type KeyReason } from './keys.js';
export type { KeyRequest, QueueInput } from './queue-input.js';
export { RateLimiterError } from './rate-limiter-error.js';
export { requeueAfter, RequeueAfter } from './requeue-after.js';
export { results } from './results.js';
export type { ResultOf, RunContext } from './run.js';
export { RunStoppedError } from './run-stopped-error.js';
export { RunTimeoutError } from './run-timeout-error.js';
export { TerminalError } from './terminal-error.js';
export { workqueue } from './workqueue.js';
export type {
  InputRefused,
  KeyDropped,
  RunEmitted,
  RunFailed,
  RunStarted,
  RunSucceeded,
  WorkqueueEvent,
} from './workqueue-event.js';
export type { WorkqueueOptions } from './workqueue-options.js';
