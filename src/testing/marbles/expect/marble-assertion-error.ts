import { RxInformersError } from '../../../kubernetes/rx-informers-error.js';
import type { Moment } from './moment.js';
import { renderTimeline } from './timeline.js';

/** A stream did something else than its diagram says; the message shows both side by side. */
export class MarbleAssertionError extends RxInformersError {
  static override readonly code = 'RXI_MARBLE_ASSERTION';
  override readonly name = 'MarbleAssertionError';
  constructor(
    /** What was looked at, for example `byIndex$("node", "n1")`. */
    readonly subject: string,
    readonly expected: readonly Moment[],
    readonly actual: readonly Moment[],
  ) {
    super(`${subject} did something else than expected\n\n${renderTimeline(expected, actual)}\n`);
  }
}
