import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

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
