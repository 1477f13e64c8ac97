import { RxInformersError, messageOf } from '../../kubernetes/errors.js';

/**
 * A queue was given a key that is not a string, or a priority or delay that is not a number.
 * Nothing was added.
 *
 * **What to do**: Correct the caller; the stack leads to it.
 */
export class InvalidQueueInputError extends RxInformersError {
  static override readonly code = 'RXI_INVALID_QUEUE_INPUT';
  override readonly name = 'InvalidQueueInputError';
  constructor(
    /** What was given, as it was. */
    readonly input: unknown,
    /** What is wrong with it, for example `its key is not a string but number`. */
    readonly problem: string,
  ) {
    super(`the queue refused an addition: ${problem}`);
  }
}

/**
 * Thrown by a run that would fail the same way each time: it is reported, and not tried again
 * until its key is added again.
 *
 * It may be wrapped: an error with a `TerminalError` as its `cause`, at any depth, is terminal,
 * and an `AggregateError` if all its errors are.
 *
 * **What to do**: Throw it yourself for invalid input, such as a spec that cannot be fulfilled.
 * Report it in the status of the object.
 *
 * **Expected**: whenever `reconcile` throws it.
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
    /** What was allowed, in milliseconds. */
    readonly timeout: number,
  ) {
    super(`the run of ${key} did not end within ${timeout} ms and was aborted`);
  }
}

/**
 * The subscriber of the results unsubscribed while a run was under way: the reason with which the
 * signal of the run was aborted.
 *
 * **What to do**: Stop work when the signal aborts.
 *
 * **Expected**: during shutdown.
 */
export class RunStoppedError extends RxInformersError {
  static override readonly code = 'RXI_RUN_STOPPED';
  override readonly name = 'RunStoppedError';
  constructor(readonly key: string) {
    super(`the run of ${key} was aborted, because its subscriber left`);
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
    super(`the run of ${key} was aborted, because it did not end before the drain was ended`);
  }
}

/**
 * A run failed, and the rate limiter threw or did not return a finite number. The key is tried
 * again after 1 s.
 *
 * **What to do**: Correct the rate limiter; `cause` is what it threw.
 */
export class RateLimiterError extends RxInformersError {
  static override readonly code = 'RXI_RATE_LIMITER';
  override readonly name = 'RateLimiterError';
  constructor(
    readonly key: string,
    /** What the run failed with. */
    readonly failure: unknown,
    override readonly cause: unknown,
  ) {
    super(`the rate limiter failed for ${key}: ${messageOf(cause)}; its run had failed: ${messageOf(failure)}`, {
      cause,
    });
  }
}
