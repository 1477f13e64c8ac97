import { timer, type Observable, type SchedulerLike } from 'rxjs';
import { steady } from '../../time/steady.js';
import { exponentialBackoff, type Backoff } from '../../sources/backoff.js';

/** How often, and how fast, something is tried again that somebody else got ahead of (U1: client-go's DefaultRetry). */
export interface ConflictRetryOptions {
  /** How often it is tried, the first time included (default 5). 1 gives up at once; more asks a contended object more often. */
  readonly tries?: number | undefined;
  /** The wait before each further try in milliseconds (default 10 to 11, each time); a longer one lets the others finish. */
  readonly backoff?: Backoff | undefined;
  /** Default: that of the `ResourceClient`; of `retryOnConflict`, which has none, `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Gives numbers in [0, 1) for the backoff. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

export interface ConflictRetry {
  readonly tries: number;
  /** Emits when it is time for the try after this one; 1 is the first. */
  readonly waitAfter: (attempt: number) => Observable<unknown>;
}

/** The options with their defaults; throws a `RangeError` for a number of tries that is none. */
export function conflictRetry(options: ConflictRetryOptions): ConflictRetry {
  const { tries = 5, backoff = defaultBackoff, random = Math.random } = options;
  if (!Number.isInteger(tries) || tries < 1) throw new RangeError(`tries must be a whole number from 1, not ${tries}`);
  return { tries, waitAfter: (attempt) => timer(senseOf(backoff(attempt, random())), steady(options.scheduler)) };
}

const defaultBackoff = /*#__PURE__*/ exponentialBackoff({ initial: 10, factor: 1, cap: 10, jitter: 0.1 });

/** A policy that gives nonsense costs requests, as everywhere (see `Backoff`). */
function senseOf(wait: number): number {
  return wait > 0 && wait < Infinity ? wait : 0;
}
