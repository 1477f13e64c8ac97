import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

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
