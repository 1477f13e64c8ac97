import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

/** Whoever had subscribed left while a run was under way: the reason with which its signal was aborted. */
export class RunStoppedError extends RxInformersError {
  static override readonly code = 'RXI_RUN_STOPPED';
  override readonly name = 'RunStoppedError';
  constructor(readonly key: string) {
    super(`the run of ${key} was aborted, because nobody is subscribed any more`);
  }
}
