import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

/**
 * A recipe changed the status, and the server did not take that: the status of this kind is a subresource, or the kind has none.
 * What else the recipe changed has been written.
 */
export class StatusIgnoredError extends RxInformersError {
  static override readonly code = 'RXI_STATUS_IGNORED';
  override readonly name = 'StatusIgnoredError';
  constructor(readonly key: string) {
    super(
      `the server ignored what was changed in the status of ${key}; edit it with { subresource: 'status' } if its kind has one`,
    );
  }
}
