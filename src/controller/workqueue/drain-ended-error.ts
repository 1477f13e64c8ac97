import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

/** A run was still under way when the drain was ended (`drainUntil`); its signal was aborted with this error. */
export class DrainEndedError extends RxInformersError {
  static override readonly code = 'RXI_DRAIN_ENDED';
  override readonly name = 'DrainEndedError';
  constructor(readonly key: string) {
    super(`the run of ${key} was aborted, because it had not ended when the time to finish was over`);
  }
}
