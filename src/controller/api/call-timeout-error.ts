import { sharedByCopies } from '../../kubernetes/shared-by-copies.js';
import type { RequestLine } from '../../sources/source-error.js';

/** The API server did not answer in time; the request was aborted. A write may have been carried out all the same. */
export class CallTimeoutError extends Error {
  override readonly name = 'CallTimeoutError';
  constructor(
    readonly request: RequestLine,
    /** Milliseconds. */
    readonly timeout: number,
  ) {
    super(`${request.method} ${request.url}: no answer within ${timeout} ms; the request was aborted`);
  }
}

sharedByCopies({ CallTimeoutError });
