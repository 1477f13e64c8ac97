import { RxInformersError } from '../kubernetes/rx-informers-error.js';

/** Thrown by a lister where there is no object under the key; the API server's NotFound, asked of the cache (S16). */
export class NotFoundError extends RxInformersError {
  static override readonly code = 'RXI_NOT_FOUND';
  override readonly name = 'NotFoundError';
  constructor(
    readonly resource: string,
    readonly key: string,
  ) {
    super(`${resource} ${JSON.stringify(key)} not found in the cache`);
  }
}
