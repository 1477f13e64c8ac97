import { RxInformersError } from './rx-informers-error.js';

/**
 * An object has no `metadata.resourceVersion`: it was not returned by an API server, so no cache
 * can catch up with it.
 *
 * **What to do**: Pass the object that the API server returned for the write, not the one that was
 * sent.
 */
export class UnversionedObjectError extends RxInformersError {
  static override readonly code = 'RXI_UNVERSIONED_OBJECT';
  override readonly name = 'UnversionedObjectError';
  constructor(readonly key: string) {
    super(`${key} has no metadata.resourceVersion: what is needed is the object as the API server answered the write`);
  }
}
