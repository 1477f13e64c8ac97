import type { RequestLine, SourceErrorFields } from './source-error-codes.js';

/** Errors of queues, controllers, writes, managers and metrics. */
export interface ControllerErrorFields {
  /**
   * The port for health and metrics could not be opened. Nothing else was started.
   *
   * **What to do**: Choose another port, or stop the process that uses it. `causeCode` is the error
   * code of Node, for example `EADDRINUSE`.
   */
  RXI_LISTEN: {
    /** The code of the system's error: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`, `ENOTFOUND` … */
    readonly causeCode: string;
    readonly port: number;
    /** Undefined for all addresses of this machine. */
    readonly host: string | undefined;
    readonly cause: unknown;
  };

  /**
   * A controller ended although nothing had stopped it.
   *
   * **What to do**: Look at the previous error in the log. The process must be restarted: a manager
   * lets the process exit, so that Kubernetes restarts it.
   */
  RXI_CONTROLLER_ENDED: {
    /** The name of the controller. */
    readonly controller: string;
    /** The event `stopping` with its reason. Undefined if the controller completed without it. */
    readonly stopping:
      | {
          readonly cause: 'stop' | 'stop-failed' | 'collection-ended';
          readonly trigger?: string;
          readonly error?: unknown;
        }
      | undefined;
  };

  /**
   * The leader election ended although nothing had stopped it.
   *
   * **What to do**: Look at the previous error in the log. The process must be restarted: a manager
   * lets the process exit, so that Kubernetes restarts it.
   */
  RXI_ELECTION_ENDED: object;

  /**
   * The registry already has metrics with these names from another source. Nothing was registered.
   *
   * **What to do**: Use another registry or another prefix, or call `prometheusMetrics` only once
   * for each registry.
   */
  RXI_METRIC_NAME_TAKEN: { readonly taken: readonly string[] };

  /**
   * The API server did not respond in time, and the request was aborted. A write may still have
   * been carried out.
   *
   * **What to do**: Read the object before you repeat a write that is not idempotent. Raise
   * `timeout` for a slow server.
   */
  RXI_CALL_TIMEOUT: {
    readonly request: RequestLine;
    /** The timeout in milliseconds. */
    readonly timeout: number;
  };

  /**
   * The edit was sent several times. Each time, another writer had changed the object in the
   * meantime, so the server refused the edit. The edit has changed nothing.
   *
   * **What to do**: Try again later. A controller tries again if the run fails. If this error is
   * frequent, use server-side apply, and let each writer apply different fields.
   *
   * **Expected**: if several writers change one object.
   */
  RXI_EDIT_CONFLICT: {
    readonly key: string;
    readonly tries: number;
    /** The last response of the server: a 409, or a 422 for a failed `test` in the patch. */
    readonly cause: Error & SourceErrorFields['RXI_STATUS'];
  };

  /**
   * The object to be written has been deleted. Another object may have its name by now.
   *
   * **What to do**: Stop working on the object. A controller whose runs are triggered by deletions
   * needs to do nothing.
   *
   * **Expected**: whenever objects are deleted while they are reconciled.
   */
  RXI_OBJECT_DELETED: {
    readonly key: string;
    /** The uid of the object that was deleted. */
    readonly uid: string;
    /** The uid of the object that has the name now; undefined if there is none, or unknown. */
    readonly replacedBy: string | undefined;
  };

  /**
   * The object is being deleted, so it accepts no new finalizer.
   *
   * **What to do**: Create nothing more for this object, and run its cleanup.
   *
   * **Expected**: if an object is deleted before its first reconcile.
   */
  RXI_OBJECT_TERMINATING: { readonly key: string; readonly finalizer: string };

  /**
   * A recipe threw, or changed a field that it must not change. Nothing was sent.
   *
   * **What to do**: Correct the recipe; the message names the field.
   */
  RXI_RECIPE: {
    /** The key of the object to edit. */
    readonly key: string;
    /**
     * | problem | what the recipe did |
     * | --- | --- |
     * | `threw` | threw an error, which is the `cause` |
     * | `asynchronous` | returned a promise; changes that are made after an `await` would be lost |
     * | `returned-a-value` | returned a value, as reducers do |
     * | `not-json` | put something into the object that JSON cannot express |
     * | `read-only-field` | changed a field that identifies the object, or that only the server writes |
     * | `outside-of-subresource` | changed a field other than `status` in an edit of the status; the server would ignore this change |
     */
    readonly problem:
      | 'threw'
      | 'asynchronous'
      | 'returned-a-value'
      | 'not-json'
      | 'read-only-field'
      | 'outside-of-subresource';
  };

  /**
   * The recipe (the callback that changes the object) changed the status, and the server ignored
   * this change. The status of this kind is a subresource, or the kind has no status. Other changes
   * of the recipe were written.
   *
   * **What to do**: Set `subresource: 'status'` to write the status. In other edits, do not change
   * the status.
   */
  RXI_STATUS_IGNORED: { readonly key: string };

  /**
   * An event has fields that the API server would refuse. The event was not sent.
   *
   * **What to do**: Correct the call; the message names the field.
   */
  RXI_INVALID_EVENT_DETAILS: {
    /** The first argument of `record`, unchanged. */
    readonly regarding: unknown;
    /** What is wrong, for example `reason is missing`. */
    readonly problem: string;
  };

  /**
   * A queue was given a key that is not a string, or a priority or delay that is not a number.
   * Nothing was added.
   *
   * **What to do**: Correct the caller. The stack trace shows where it is.
   */
  RXI_INVALID_QUEUE_INPUT: {
    /** The value that was added, unchanged. */
    readonly input: unknown;
    /** What is wrong with the value, for example `the key must be a string, not a number`. */
    readonly problem: string;
  };

  /**
   * Thrown by a run that would fail the same way each time. The failure is reported, and the key is
   * not retried until it is added again.
   *
   * A wrapped `TerminalError` counts too: an error is terminal if its `cause`, at any depth, is a
   * `TerminalError`. An `AggregateError` is terminal if all its errors are terminal.
   *
   * **What to do**: Throw this error for invalid input, for example a spec that cannot be
   * fulfilled. Report the problem in the status of the object.
   *
   * **Expected**: whenever `reconcile` throws this error.
   *
   * @example
   * import { TerminalError } from 'rx-informers/controller';
   *
   * throw new TerminalError('spec.image is not an image name');
   */
  RXI_TERMINAL: object;

  /**
   * A run took longer than its `timeout` allows; its signal was aborted with this error.
   *
   * **What to do**: Pass the signal to everything that the run awaits. Raise the timeout if the
   * work needs it. The key is tried again with backoff.
   */
  RXI_RUN_TIMEOUT: {
    readonly key: string;
    /** The limit, in milliseconds. */
    readonly timeout: number;
  };

  /**
   * The subscriber of the results unsubscribed while a run was in progress. The signal of the run
   * was aborted with this error.
   *
   * **What to do**: Stop work when the signal aborts.
   *
   * **Expected**: during shutdown.
   */
  RXI_RUN_STOPPED: { readonly key: string };

  /**
   * A run was still under way when `drainUntil` ended the drain; its signal was aborted with this
   * error.
   *
   * **What to do**: Stop work when the signal aborts. Allow more time for the drain if runs need
   * it.
   *
   * **Expected**: during shutdown.
   */
  RXI_DRAIN_ENDED: { readonly key: string };

  /**
   * A run failed, and the rate limiter threw or did not return a finite number. The key is tried
   * again after 1 s.
   *
   * **What to do**: Correct the rate limiter. `cause` is the error of the rate limiter.
   */
  RXI_RATE_LIMITER: {
    readonly key: string;
    /** The error of the run. */
    readonly failure: unknown;
    readonly cause: unknown;
  };

  /**
   * A key was not reconciled, because one of the controller's collections had stopped. The cache of
   * a stopped collection is empty, even if the cluster has objects.
   *
   * **What to do**: Stop the controller before its informers.
   *
   * **Expected**: during shutdown, if informers stop first.
   */
  RXI_COLLECTION_ENDED: {
    readonly key: string;
    /** The place of the collection in the options: `for`, `owns[0]`, `watches[2]`. */
    readonly trigger: string;
  };

  /**
   * A `map` function of a controller returned something that is not a key.
   *
   * **What to do**: Correct the function: it must return keys such as `namespace/name`.
   */
  RXI_MAPPED_KEY: {
    /** The returned value. */
    readonly output: unknown;
  };

  /**
   * A run made a request, but the `client` function of its controller has no client for the
   * partition of its key. Nothing was sent.
   *
   * **What to do**: Return the client of each partition that `mergeSources` has. If the cluster has
   * left, ignore the error: its objects leave the cache, too.
   */
  RXI_UNKNOWN_PARTITION: {
    readonly key: string;
    readonly partition: string;
  };

  /**
   * An object cannot have the given owner. Nothing was changed.
   *
   * **What to do**: Correct the problem that the message names. The owner must exist, and be in the
   * same namespace or cluster-scoped; an object has at most one controller.
   */
  RXI_OWNER_REFERENCE: {
    readonly problem: 'no-name' | 'no-uid' | 'no-kind' | 'other-controller' | 'other-namespace';
  };

  /**
   * A value such as `NaN` or a function cannot be sent, because JSON cannot express it.
   *
   * **What to do**: Correct the value; the message names its path.
   */
  RXI_NOT_JSON: {
    /** The place of the value, as a JSON Pointer. */
    readonly path: string;
    /** The kind of the value, for example `a Map`. */
    readonly found: string;
  };
}
