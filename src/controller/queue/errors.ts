import { RxInformersError } from '../../kubernetes/rx-informers-error.js';
import { messageOf } from '../../kubernetes/message-of.js';

/** What was given to a queue cannot stand in it: a key that is no string, a priority or a delay that is no number. Nothing was added. */
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
 * Thrown by a run that would fail the same way each time: it is reported, and not tried again until its key is added again.
 *
 * It may be wrapped: an error with a `TerminalError` as its `cause`, at any depth, is terminal, and an `AggregateError` of which all errors are.
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

/** A run took longer than it was allowed to; its signal was aborted with this error. */
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

/** Whoever had subscribed left while a run was under way: the reason with which its signal was aborted. */
export class RunStoppedError extends RxInformersError {
  static override readonly code = 'RXI_RUN_STOPPED';
  override readonly name = 'RunStoppedError';
  constructor(readonly key: string) {
    super(`the run of ${key} was aborted, because nobody is subscribed any more`);
  }
}

/** A run was still under way when the drain was ended (`drainUntil`); its signal was aborted with this error. */
export class DrainEndedError extends RxInformersError {
  static override readonly code = 'RXI_DRAIN_ENDED';
  override readonly name = 'DrainEndedError';
  constructor(readonly key: string) {
    super(`the run of ${key} was aborted, because it had not ended when the time to finish was over`);
  }
}

/** A run failed, and the rate limiter failed to say when to try again (it threw, or gave no finite number). It is tried again after 1 s. */
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
