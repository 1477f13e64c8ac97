import type {
  KeyDropped,
  KeyHeld,
  KeyReleased,
  RunEmitted,
  RunFailed,
  RunSkipped,
  RunStarted,
  RunSucceeded,
} from '../workqueue/workqueue-event.js';
import type { ReconcileReason } from './reconcile-reason.js';

/** What a controller tells, in the order in which it happens. Times are in milliseconds of the scheduler. */
export type ReconcileEvent<Result = unknown> =
  | ControllerSynced
  | RunStarted<string, ReconcileReason>
  | RunEmitted<Result>
  | RunSucceeded<Result>
  | RunFailed
  | RunSkipped
  | KeyHeld
  | KeyReleased
  | KeyDropped<string, ReconcileReason>
  | TriggerFailed
  | ControllerStopping
  | ControllerStopped;

/** All collections have their first content; from now on keys are reconciled. */
export interface ControllerSynced {
  readonly type: 'synced';
  /** How long that took. */
  readonly took: number;
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
