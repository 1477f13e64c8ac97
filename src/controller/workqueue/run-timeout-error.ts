import { sharedByCopies } from '../../kubernetes/shared-by-copies.js';

/** A run took longer than it was allowed to; its signal was aborted with this error. */
export class RunTimeoutError extends Error {
  override readonly name = 'RunTimeoutError';
  constructor(
    readonly key: string,
    /** What was allowed, in milliseconds. */
    readonly timeout: number,
  ) {
    super(`the run of ${key} did not end within ${timeout} ms and was aborted`);
  }
}

sharedByCopies({ RunTimeoutError });
