import { branded } from './brand.js';

/** The wish to run again; made by `requeueAfter`. */
export class RequeueAfter {
  constructor(
    /** Milliseconds. */
    readonly delay: number,
  ) {
    if (!(Number.isFinite(delay) && delay >= 0)) {
      throw new RangeError(`requeueAfter takes a number of milliseconds from 0 on, not ${String(delay)}`);
    }
  }
}

export const isRequeueAfter = branded(RequeueAfter, 'RequeueAfter');

/**
 * What a run gives back (or emits) when it has succeeded and wants to run again in `delay` milliseconds; of several, the earliest
 * wins. Its failures are forgotten.
 *
 * 0 is as soon as others have had a turn. A change of the object runs it earlier, and takes the place of the wish.
 *
 * **Errors**: `RangeError` where it is not a finite number from 0 on; within a run that is a failure of the run.
 *
 * @example
 * import { requeueAfter } from 'rx-informers/controller';
 *
 * const reconcile = () => requeueAfter(60_000);
 */
export function requeueAfter(delay: number): RequeueAfter {
  return new RequeueAfter(delay);
}
