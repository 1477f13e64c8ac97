import { RxInformersError, messageOf } from '../../kubernetes/errors.js';

/**
 * A queue was given a key that is not a string, or a priority or delay that is not a number.
 * Nothing was added.
 *
 * **What to do**: Correct the caller. The stack trace shows where it is.
 */
export class InvalidQueueInputError extends RxInformersError {
  static override readonly code = 'RXI_INVALID_QUEUE_INPUT';
  override readonly name = 'InvalidQueueInputError';
  constructor(
    /** The value that was added, unchanged. */
    readonly input: unknown,
    /** What is wrong with the value, for example `the key must be a string, not a number`. */
    readonly problem: string,
  ) {
    super(`cannot add to the queue: ${problem}`);
  }
}

/**
 * Thrown by a run that would fail the same way each time. The failure is reported, and the key is
 * not retried until it is added again.
 *
 * A wrapped `TerminalError` counts too: an error is terminal if its `cause`, at any depth, is a
 * `TerminalError`. An `AggregateError` is terminal if all its errors are terminal.
 *
 * **What to do**: Throw this error for invalid input, for example a spec that cannot be fulfilled.
 * Report the problem in the status of the object.
 *
 * **Expected**: whenever `reconcile` throws this error.
 *
 * @example
 * import { TerminalError } from 'rx-informers/controller';
 *
 * throw new TerminalError('spec.image is not an image name');
 */
export class TerminalError extends RxInformersError {
  static override readonly code = 'RXI_TERMINAL';
  override readonly name = 'TerminalError';
}

/**
 * A run took longer than its `timeout` allows; its signal was aborted with this error.
 *
 * **What to do**: Pass the signal to everything that the run awaits. Raise the timeout if the work
 * needs it. The key is tried again with backoff.
 */
export class RunTimeoutError extends RxInformersError {
  static override readonly code = 'RXI_RUN_TIMEOUT';
  override readonly name = 'RunTimeoutError';
  constructor(
    readonly key: string,
    /** The limit, in milliseconds. */
    readonly timeout: number,
  ) {
    super(`the run of ${key} was aborted, because it did not end within ${timeout} ms`);
  }
}

/**
 * The subscriber of the results unsubscribed while a run was in progress. The signal of the run was
 * aborted with this error.
 *
 * **What to do**: Stop work when the signal aborts.
 *
 * **Expected**: during shutdown.
 */
export class RunStoppedError extends RxInformersError {
  static override readonly code = 'RXI_RUN_STOPPED';
  override readonly name = 'RunStoppedError';
  constructor(readonly key: string) {
    super(`the run of ${key} was aborted, because the subscriber of the results unsubscribed`);
  }
}

/**
 * A run was still under way when `drainUntil` ended the drain; its signal was aborted with this
 * error.
 *
 * **What to do**: Stop work when the signal aborts. Allow more time for the drain if runs need it.
 *
 * **Expected**: during shutdown.
 */
export class DrainEndedError extends RxInformersError {
  static override readonly code = 'RXI_DRAIN_ENDED';
  override readonly name = 'DrainEndedError';
  constructor(readonly key: string) {
    super(`the run of ${key} was aborted, because it had not ended when the drain ended`);
  }
}

/**
 * A run failed, and the rate limiter threw or did not return a finite number. The key is tried
 * again after 1 s.
 *
 * **What to do**: Correct the rate limiter. `cause` is the error of the rate limiter.
 */
export class RateLimiterError extends RxInformersError {
  static override readonly code = 'RXI_RATE_LIMITER';
  override readonly name = 'RateLimiterError';
  constructor(
    readonly key: string,
    /** The error of the run. */
    readonly failure: unknown,
    override readonly cause: unknown,
  ) {
    super(
      `the rate limiter failed for ${key}: ${messageOf(cause)}; retrying after 1 s, because the run failed: ${messageOf(failure)}`,
      {
        cause,
      },
    );
  }
}
