import type { WriteVerb } from '../../requests/resource-client/reported-writes.js';
import type { SourceError } from '../../sources/model/errors.js';
import type { Change, ChangeReason } from '../../store/change.js';
import type { WorkqueueEvent } from '../workqueue/workqueue-event.js';

/** The events of a controller, in their order. Times are milliseconds of the scheduler. */
export type ReconcileEvent<Result = unknown> =
  /** The events of the queue; every key is valid. */
  | Exclude<WorkqueueEvent<Result, string, ReconcileReason>, { readonly type: 'refused' }>
  /** All collections have their first content. Keys are reconciled from now on. */
  | {
      readonly type: 'synced';
      /** The milliseconds from the start until all collections had synced. */
      readonly took: number;
    }
  /**
   * The controller waits for one of its caches, because the cache has not synced, or can no longer
   * list or watch. Emitted at once for an error that is not `expected`, otherwise after 5 s, and
   * again at growing intervals (5 s, 10 s, … 5 minutes). If the cache has synced, runs continue
   * with its content.
   */
  | {
      readonly type: 'waiting';
      /** The first place of the cache in the options: `for`, `owns[0]`, `watches[2]`. */
      readonly trigger: string;
      /** The resource of the cache, if the collection has one: `pods`, `deployments.apps`. */
      readonly resource: string | undefined;
      /** For example `listing pods failed: GET …: 403 Forbidden: …; grant list and watch`. */
      readonly reason: string;
      /** The last failure of the cache's source, if there is one. */
      readonly error: SourceError | undefined;
      /** False until the first list has been read. */
      readonly hasSynced: boolean;
      /** How long the controller has waited for the cache. */
      readonly waited: number;
    }
  /** A cache that was reported as `waiting` has synced, or lists and watches again. */
  | {
      readonly type: 'recovered';
      readonly trigger: string;
      readonly resource: string | undefined;
      readonly waited: number;
    }
  /** Not all caches synced within `syncTimeout`. Emitted once; the controller still waits. */
  | {
      readonly type: 'sync-timeout';
      /** The value of `syncTimeout`, in milliseconds. */
      readonly after: number;
      /** The reason for each cache that has not synced, as in `Readiness`. */
      readonly reasons: readonly string[];
    }
  /** Held ten seconds after its run, as caches lack its writes. At most once after each run. */
  | {
      readonly type: 'held';
      readonly key: string;
      readonly because: 'unobserved';
      /** For how long the key has been held, in milliseconds. */
      readonly heldFor: number;
      /** The missing writes, each with the cache that does not show it. */
      readonly writes: readonly UnobservedWrite[];
    }
  /**
   * A key of a `held` event may run again: its writes are observed, or `observeTimeout` has passed.
   * Then `writes` has those still missing: the next run may begin with a stale cache.
   */
  | {
      readonly type: 'released';
      readonly key: string;
      readonly because: 'unobserved';
      readonly heldFor: number;
      readonly writes: readonly UnobservedWrite[];
    }
  /** A part of the controller that triggers runs failed. Everything else continues. */
  | {
      readonly type: 'trigger-failed';
      /** The part that failed: `for`, `owns[0]`, `watches[2]`. */
      readonly trigger: string;
      /** The key of the object for which the part failed, if there is one. */
      readonly key: string | undefined;
      /** The thrown value, or an `RXI_MAPPED_KEY`. */
      readonly error: unknown;
      /**
       * `skipped`: triggers nothing (except for valid keys that `map` returned). `resubscribing`:
       * `through` failed; the collection emits its whole state again. `ended`: an Observable
       * errored.
       */
      readonly outcome: 'skipped' | 'resubscribing' | 'ended';
    }
  /** The controller stops: nothing triggers runs any more. */
  | {
      readonly type: 'stopping';
      /** `stop$` emitted; or failed, with this `error`; or the collection of `trigger` ended. */
      readonly cause: 'stop' | 'stop-failed' | 'collection-ended';
      readonly trigger?: string;
      readonly error?: unknown;
    }
  /** The controller has stopped: no run is active. This is the last event; completion follows. */
  | {
      readonly type: 'stopped';
      /** The time since `stopping`. */
      readonly took: number;
      /** The number of aborted runs. */
      readonly aborted: number;
      /** The number of keys that were waiting, and are not reconciled. */
      readonly dropped: number;
    };

/** The events of one type. */
export type ReconcileEventOf<Type extends ReconcileEvent['type']> = Extract<ReconcileEvent, { readonly type: Type }>;

/** A key is held, or no longer held, because of writes that a cache does not show. */
export type UnobservedWait = Extract<ReconcileEvent, { readonly because: 'unobserved' }>;

/** A write that is not yet in a cache. */
export interface UnobservedWrite {
  /** Undefined for the writes of another replica: of these, only the highest version is known. */
  readonly verb: WriteVerb | undefined;
  /** The resource, as `kubectl` names it: `deployments.apps`. */
  readonly resource: string;
  /**
   * The key of the object, `namespace/name`; undefined for the writes of another replica, and if
   * the answer to `deleteCollection` names no objects.
   */
  readonly object: string | undefined;
  /** The version that the write created; `undefined` for a deletion. */
  readonly resourceVersion: string | undefined;
  /** The cache: `for`, `owns[0]`, `watches[2]`. */
  readonly trigger: string;
}

/** For logs only: a run decides from the current state, not from its reasons. */
export type ReconcileReason =
  /** The object itself was added, updated or deleted. */
  | {
      readonly type: 'primary';
      readonly change: Change<unknown>['type'];
      /** The reason of the change set. */
      readonly because: ChangeReason;
    }
  /** An object that the reconciled object owns was added, updated or deleted. */
  | {
      readonly type: 'owned';
      readonly change: Change<unknown>['type'];
      /** The reason of the change set. */
      readonly because: ChangeReason;
      readonly kind: string | undefined;
      readonly key: string;
    }
  /** An object of a watched collection changed, and `map` returned this key. */
  | {
      readonly type: 'watched';
      readonly change: Change<unknown>['type'];
      /** The reason of the change set. */
      readonly because: ChangeReason;
      readonly kind: string | undefined;
      readonly key: string;
    }
  /** A watched Observable emitted a value, and `map` returned this key. */
  | {
      readonly type: 'external';
      /** The Observable: `watches[2]`. */
      readonly trigger: string;
    }
  /** The previous run requested this run with `requeueAfter`. */
  | { readonly type: 'requeue' }
  /** The previous run failed. */
  | {
      readonly type: 'retry';
      /** The number of consecutive failed runs. */
      readonly failures: number;
    };

/** Reasons as text, so that the queue recognises equal ones and keeps each only once. */
export type ReasonText = string & { readonly reason: never };

/** Returns the text of a reason for the queue: JSON in one line, so that lines can be joined. */
export function reasonText(reason: ReconcileReason): ReasonText {
  return JSON.stringify(reason) as ReasonText;
}

/** Joins several reasons into one text. */
export function joinReasons(texts: readonly ReasonText[]): ReasonText {
  return texts.join('\n') as ReasonText;
}

/** Returns the reasons in the texts of the queue, each of them once. */
export function reasonsOf(texts: readonly ReasonText[]): readonly ReconcileReason[] {
  const isJoined = texts.some((text) => text.includes('\n'));
  const lines = isJoined ? [...new Set(texts.flatMap((text) => text.split('\n')))] : texts;
  return lines.map((line) => primaryReasons.get(line) ?? parsedReason(line));
}

/** The parsed reasons of type `primary`, by text: a handful, which nearly all runs share. */
const primaryReasons = new Map<string, ReconcileReason>();

function parsedReason(line: string): ReconcileReason {
  const reason = Object.freeze(JSON.parse(line) as ReconcileReason);
  if (reason.type === 'primary') primaryReasons.set(line, reason);
  return reason;
}

/** Returns the queued reasons, and the retry after a failure; none after `requeueAfter`. */
export function reasonsOfRun(texts: readonly ReasonText[], attempt: number): readonly ReconcileReason[] {
  if (attempt > 1) return [...reasonsOf(texts), { type: 'retry', failures: attempt - 1 }];
  return texts.length === 0 ? [{ type: 'requeue' }] : reasonsOf(texts);
}

/** Without `refused`: every input of the queue has a valid key. */
export type QueueEvent<Result> = Exclude<WorkqueueEvent<Result, string, ReasonText>, { readonly type: 'refused' }>;

/** Returns the same event, with parsed reasons. */
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
