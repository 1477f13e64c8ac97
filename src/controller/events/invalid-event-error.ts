import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

/** An event that the API server would refuse, whoever sent it; it was not sent. */
export class InvalidEventDetailsError extends RxInformersError {
  static override readonly code = 'RXI_INVALID_EVENT_DETAILS';
  override readonly name = 'InvalidEventDetailsError';
  constructor(
    /** What the event should have been about, as it was given. */
    readonly regarding: unknown,
    /** What is wrong, for example `the reason is empty`. */
    readonly problem: string,
  ) {
    super(`the event cannot be recorded: ${problem}`);
  }
}
