import { RxInformersError, messageOf } from '../../kubernetes/errors.js';

export function invalidQueueInputError(input: unknown, problem: string): RxInformersError<'RXI_INVALID_QUEUE_INPUT'> {
  return new RxInformersError('RXI_INVALID_QUEUE_INPUT', `cannot add to the queue: ${problem}`, { input, problem });
}

/**
 * Thrown by a run that would fail the same way each time. The failure is reported, and the key is
 * not retried until it is added again.
 *
 * A wrapped `TerminalError` counts too: an error is terminal if its `cause`, at any depth, is a
 * `TerminalError`. An `AggregateError` is terminal if all its errors are terminal.
 *
 * @example
 * import { TerminalError } from 'rx-informers/controller';
 *
 * throw new TerminalError('spec.image is not an image name');
 */
export class TerminalError extends RxInformersError<'RXI_TERMINAL'> {
  static readonly code = 'RXI_TERMINAL';
  override readonly name = 'TerminalError';

  constructor(message: string, options?: ErrorOptions) {
    super('RXI_TERMINAL', message, { ...options });
  }
}

export function runTimeoutError(key: string, timeout: number): RxInformersError<'RXI_RUN_TIMEOUT'> {
  const message = `the run of ${key} was aborted, because it did not end within ${timeout} ms`;
  return new RxInformersError('RXI_RUN_TIMEOUT', message, { key, timeout });
}

export function runStoppedError(key: string): RxInformersError<'RXI_RUN_STOPPED'> {
  const message = `the run of ${key} was aborted, because the subscriber of the results unsubscribed`;
  return new RxInformersError('RXI_RUN_STOPPED', message, { key });
}

export function drainEndedError(key: string): RxInformersError<'RXI_DRAIN_ENDED'> {
  const message = `the run of ${key} was aborted, because it had not ended when the drain ended`;
  return new RxInformersError('RXI_DRAIN_ENDED', message, { key });
}

export function rateLimiterError(key: string, failure: unknown, cause: unknown): RxInformersError<'RXI_RATE_LIMITER'> {
  const message = `the rate limiter failed for ${key}: ${messageOf(cause)}; retrying after 1 s, because the run failed: ${messageOf(failure)}`;
  return new RxInformersError('RXI_RATE_LIMITER', message, { key, failure, cause });
}
