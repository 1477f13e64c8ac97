import { sharedByCopies } from '../../kubernetes/shared-by-copies.js';

/** Options of `requeueAfter`. */
export interface RequeueAfterOptions {
  /**
   * The priority of the next run (default: that of this one). Higher goes first; `lowPriority` lets everything that just changed go
   * before. If the key is added meanwhile, the higher priority counts.
   */
  readonly priority?: number | undefined;
}

/** The wish to run again; made by `requeueAfter`. */
export class RequeueAfter {
  /** `undefined`: that of the run. */
  readonly priority: number | undefined;

  constructor(
    /** Milliseconds. */
    readonly delay: number,
    { priority }: RequeueAfterOptions = {},
  ) {
    if (!(Number.isFinite(delay) && delay >= 0)) {
      throw new RangeError(`requeueAfter takes a number of milliseconds from 0 on, not ${String(delay)}`);
    }
    if (priority !== undefined && !Number.isFinite(priority)) {
      throw new RangeError(`the priority of requeueAfter must be a number, not ${String(priority)}`);
    }
    this.priority = priority;
  }
}

sharedByCopies({ RequeueAfter });

/**
 * Returns what a run returns (or emits) when it has succeeded and wants to run again in `delay` milliseconds. Of several, the earliest
 * wins.
 *
 * | `delay` | the next run | failures of the key |
 * | --- | --- | --- |
 * | more than 0 | after so many milliseconds | forgotten |
 * | 0 | when the rate limiter says: 5 ms later, then 10 ms, 20 ms, … as for a failure | forgotten with the first other result |
 *
 * 0 is for work in steps, as controller-runtime's `Requeue: true`. To poll, pass an interval: it stays the same.
 * A change of the object runs it earlier, and takes the place of the wish.
 *
 * @param delay milliseconds
 * @throws `RangeError` if `delay` is not a finite number from 0 on, or `priority` is not a finite number; within a run that is a
 *   failure of the run
 * @example
 * import { lowPriority, requeueAfter } from 'rx-informers/controller';
 *
 * const reconcile = () => requeueAfter(60_000, { priority: lowPriority });
 */
export function requeueAfter(delay: number, options?: RequeueAfterOptions): RequeueAfter {
  return new RequeueAfter(delay, options);
}
