import { RxInformersError } from './rx-informers-error.js';

/**
 * A label selector is one that the API server would refuse.
 *
 * **What to do**: Correct the selector; the message names the column or the requirement. For a
 * selector that a user types, show the message.
 */
export class InvalidSelectorError extends RxInformersError {
  static override readonly code = 'RXI_INVALID_SELECTOR';
  override readonly name = 'InvalidSelectorError';
  constructor(
    readonly selector: unknown,
    readonly problem: string,
    /** Where in the text the problem is, from 1; `undefined` where the selector is an object. */
    readonly column?: number,
  ) {
    super(
      `invalid label selector ${JSON.stringify(selector)}: ${column === undefined ? '' : `column ${column}: `}${problem}`,
    );
  }
}
