import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

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
