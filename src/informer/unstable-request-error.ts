import { RxInformersError } from '../kubernetes/rx-informers-error.js';

/**
 * Thrown by a registry that was asked again and again for what differs in functions with the same text only: they are written where the informer
 * is asked for, and so are others each time, and each time it would be another cache and another watch.
 */
export class UnstableRequestError extends RxInformersError {
  static override readonly code = 'RXI_UNSTABLE_REQUEST';
  override readonly name = 'UnstableRequestError';
  constructor(
    readonly resource: string,
    /** The names of the options that are another function each time. */
    readonly options: readonly string[],
  ) {
    super(
      `${resource}: too many informers that differ only in ${options.join(', ')}: a function that is written where the informer is asked for is ` +
        'another one each time, and each time it is another cache and another watch; define it once, outside',
    );
  }
}
