import { sharedByCopies } from '../../kubernetes/shared-by-copies.js';

/** The object is being deleted, so it takes no new finalizer. */
export class ObjectTerminatingError extends Error {
  override readonly name = 'ObjectTerminatingError';
  constructor(
    readonly key: string,
    readonly finalizer: string,
  ) {
    super(`${key} is being deleted; the finalizer ${finalizer} cannot be added any more`);
  }
}

sharedByCopies({ ObjectTerminatingError });
