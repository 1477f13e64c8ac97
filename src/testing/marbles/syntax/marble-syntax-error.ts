import { RxInformersError } from '../../../kubernetes/rx-informers-error.js';

/** A marble diagram that cannot be read; the message shows the diagram with a caret under the place. */
export class MarbleSyntaxError extends RxInformersError {
  static override readonly code = 'RXI_MARBLE_SYNTAX';
  override readonly name = 'MarbleSyntaxError';
  constructor(
    readonly diagram: string,
    /** Where it is wrong, counted from 1. */
    readonly column: number,
    readonly problem: string,
  ) {
    super(`${problem} (column ${column})\n\n  ${diagram}\n  ${' '.repeat(column - 1)}^`);
  }
}
