import { RxInformersError } from '../kubernetes/rx-informers-error.js';

/** A consumer fell so far behind that more keys were waiting for it than it had allowed; only its own stream ends (G11). */
export class BufferOverflowError extends RxInformersError {
  static override readonly code = 'RXI_BUFFER_OVERFLOW';
  override readonly name = 'BufferOverflowError';
  constructor(
    /** The limit that was passed. */
    readonly maxKeys: number,
  ) {
    super(
      `changes of more than ${maxKeys} keys were waiting for a slow consumer; allow more (maxKeys), or make it faster`,
    );
  }
}
