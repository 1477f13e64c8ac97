import type { SourceError } from '../../sources/model/errors.js';
import type { HookFailed } from '../contained.js';
import type {
  KeyDropped,
  KeyHeld,
  KeyReleased,
  RunEmitted,
  RunFailed,
  RunSkipped,
  RunStarted,
  RunSucceeded,
  InputRefused,
  WorkqueueEvent,
} from '../workqueue/workqueue-event.js';
import type { WriteVerb } from '../api/recording-client.js';
import type { Change, ChangeReason } from '../../store/change.js';

/** What a controller tells, in the order in which it happens. Times are in milliseconds of the scheduler. */
export type ReconcileEvent<Result = unknown> =
  | ControllerSynced
  | CacheWaiting
  | CacheRecovered
  | SyncTimeout
  | RunStarted<string, ReconcileReason>
  | RunEmitted<Result>
  | RunSucceeded<Result>
  | RunFailed
  | RunSkipped
  | KeyHeld
  | KeyReleased
  | KeyHeldUnobserved
  | KeyReleasedUnobserved
  | KeyDropped<string, ReconcileReason>
  | TriggerFailed
  | HookFailed
  | ControllerStopping
  | ControllerStopped;

/** All collections have their first content; from now on keys are reconciled. */
export interface ControllerSynced {
  readonly type: 'synced';
  /** How long that took. */
  readonly took: number;
}

/**
 * The controller waits for one of its caches, because it has not synced, or cannot list or watch any
 * more. Emitted at once for an error that is not `expected`, else after 5 s, and again at growing
 * intervals (5 s, 10 s, … 5 minutes) while that lasts. After it has synced, runs go on with what the
 * cache has.
 */
export interface CacheWaiting {
  readonly type: 'waiting';
  /** Where the cache is in the options: `for`, `owns[0]`, `watches[2]`. The first place, if there are several. */
  readonly trigger: string;
  /** What it holds, if the collection knows it: `pods`, `deployments.apps`. */
  readonly resource: string | undefined;
  /** Why, and what to do: `listing pods failed: GET /api/v1/pods?limit=500: 403 Forbidden: …; grant list and watch of pods`. */
  readonly reason: string;
  /** The last failure of its source, if there is one. */
  readonly error: SourceError | undefined;
  /** False until the first list has been read. */
  readonly hasSynced: boolean;
  /** For how long the controller has been waiting for it. */
  readonly waited: number;
}

/** A cache that was reported as `waiting` has synced, or lists and watches again. */
export interface CacheRecovered extends Pick<CacheWaiting, 'trigger' | 'resource' | 'waited'> {
  readonly type: 'recovered';
}

/** Not all caches have synced within `syncTimeout`. Emitted once; the controller goes on waiting. */
export interface SyncTimeout {
  readonly type: 'sync-timeout';
  /** The `syncTimeout`. */
  readonly after: number;
  /** Why, for each cache that has not synced, as in `Readiness`. */
  readonly reasons: readonly string[];
}

/** A write that a cache does not show. */
export interface UnobservedWrite {
  readonly verb: WriteVerb;
  /** As `kubectl` names it: `deployments.apps`. */
  readonly resource: string;
  /** The key of the object, `namespace/name`. */
  readonly object: string;
  /** `undefined` for a deletion. */
  readonly resourceVersion: string | undefined;
  /** The cache: `for`, `owns[0]`, `watches[2]`. */
  readonly trigger: string;
}

/** Ten seconds after its run a key is still held, because caches do not show what the run wrote. Emitted once for each hold. */
export interface KeyHeldUnobserved extends Omit<KeyHeld, 'because'> {
  readonly because: 'unobserved';
  /** What is missing in which cache. */
  readonly writes: readonly UnobservedWrite[];
}

/**
 * A key is free again, of which `held` was emitted, or whose hold `observeTimeout` has ended: then
 * `writes` says what the caches still do not show. The next run may begin from a stale cache.
 */
export interface KeyReleasedUnobserved extends Omit<KeyHeldUnobserved, 'type'> {
  readonly type: 'released';
}

/** A part of the controller that triggers runs failed; everything else goes on. */
export interface TriggerFailed {
  readonly type: 'trigger-failed';
  /** Which one: `for`, `owns[0]`, `watches[2]`. */
  readonly trigger: string;
  /** The object that it failed for, as far as there is one. */
  readonly key: string | undefined;
  /** What was thrown, whatever it is, or a `MappedKeyError`. */
  readonly error: unknown;
  /**
   * What follows. `skipped`: this object or value triggers nothing (but for what `map` gave beside the mistake). `resubscribing`:
   * `through` failed; the collection is subscribed to again, which gives its whole state again. `ended`: an Observable errored, and is over.
   */
  readonly outcome: 'skipped' | 'resubscribing' | 'ended';
}

/** Nothing triggers any more. */
export interface ControllerStopping {
  readonly type: 'stopping';
  /** `stop$` emitted; or it failed (then with the `error`); or a collection has ended (then with its `trigger`). */
  readonly cause: 'stop' | 'stop-failed' | 'collection-ended';
  readonly trigger?: string;
  readonly error?: unknown;
}

/** The last event: nothing runs any more. Completion follows. */
export interface ControllerStopped {
  readonly type: 'stopped';
  /** How long it took since `stopping`. */
  readonly took: number;
  /** How many runs were aborted. */
  readonly aborted: number;
  /** How many keys were waiting, and will not be reconciled. */
  readonly dropped: number;
}

/** Why a key is reconciled. For logs: a run looks at the state, and not at what led to it. */
export type ReconcileReason =
  PrimaryChanged | OwnedChanged | WatchedChanged | ExternalTrigger | RequeueWanted | RetryOfFailure;

/** The object itself came, changed or went. */
export interface PrimaryChanged {
  readonly type: 'primary';
  readonly change: Change<unknown>['type'];
  /** Why the collection told it. */
  readonly because: ChangeReason;
}

/** An object that it owns did. */
export interface OwnedChanged extends Omit<PrimaryChanged, 'type'> {
  readonly type: 'owned';
  readonly kind: string | undefined;
  readonly key: string;
}

/** An object of a watched collection did, and `map` led here. */
export interface WatchedChanged extends Omit<PrimaryChanged, 'type'> {
  readonly type: 'watched';
  readonly kind: string | undefined;
  readonly key: string;
}

/** A watched Observable gave a value, and `map` led here. */
export interface ExternalTrigger {
  readonly type: 'external';
  /** Which one: `watches[2]`. */
  readonly trigger: string;
}

/** A run asked for this one with `requeueAfter`. */
export interface RequeueWanted {
  readonly type: 'requeue';
}

/** The run before failed. */
export interface RetryOfFailure {
  readonly type: 'retry';
  /** How many runs in a row have failed. */
  readonly failures: number;
}

/** One or several reasons as they stand in the queue: as text, so that equal ones are one, however often they come. */
export type ReasonText = string & { readonly reason: never };

/** What the queue keeps of a reason; JSON has no line breaks of its own. */
export function reasonText(reason: ReconcileReason): ReasonText {
  return JSON.stringify(reason) as ReasonText;
}

/** Several as one. */
export function joinReasons(texts: readonly ReasonText[]): ReasonText {
  return texts.join('\n') as ReasonText;
}

/** What the queue kept of a key's reasons, as it was, each once. */
export function reasonsOf(texts: readonly ReasonText[]): readonly ReconcileReason[] {
  const lines = new Set(texts.flatMap((text) => text.split('\n')));
  return Array.from(lines, (line) => JSON.parse(line) as ReconcileReason);
}

/** All reasons of a run: the queue knows what came from outside; the rest follows from there being a run at all. */
export function reasonsOfRun(texts: readonly ReasonText[], attempt: number): readonly ReconcileReason[] {
  if (attempt > 1) return [...reasonsOf(texts), { type: 'retry', failures: attempt - 1 }];
  return texts.length === 0 ? [{ type: 'requeue' }] : reasonsOf(texts);
}

/** What the queue tells; it refuses nothing, because only keys get that far. */
export type QueueEvent<Result> = Exclude<WorkqueueEvent<Result, string, ReasonText>, InputRefused>;

/** What a controller tells of it: the same, with the reasons as they were. */
export function fromQueueEvent<Result>(event: QueueEvent<Result>): ReconcileEvent<Result> {
  switch (event.type) {
    case 'started':
      return { ...event, reasons: reasonsOfRun(event.reasons, event.attempt) };
    case 'dropped':
      return { ...event, reasons: reasonsOf(event.reasons) };
    default:
      return event;
  }
}
