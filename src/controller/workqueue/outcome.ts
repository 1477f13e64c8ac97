import { sharedByCopies } from '../../kubernetes/errors.js';
import { listWatchDefaults } from '../../sources/list-watch-options.js';
import { StatusError } from '../../sources/model/errors.js';
import { TerminalError } from '../queue/errors.js';

/** Options of `requeueAfter`. */
export interface RequeueAfterOptions {
  /**
   * The priority of the next run. Default: that of this one. Higher goes first; with `lowPriority` everything that just
   * changed goes before. If the key is added meanwhile, the higher priority counts.
   */
  readonly priority?: number | undefined;
}

/** A request to run again, made by `requeueAfter`. */
export class RequeueAfter {
  /** `undefined` for the priority of the run. */
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
 * Returns a value that a run returns or emits to run again in `delay` milliseconds. Of several, the earliest wins.
 *
 * | `delay` | the next run | failures of the key |
 * | --- | --- | --- |
 * | more than 0 | after so many milliseconds | forgotten |
 * | 0 | when the rate limiter says: 5 ms later, then 10 ms, 20 ms, … as for a failure | forgotten with the first other result |
 *
 * 0 is for work in steps, as controller-runtime's `Requeue: true`. To poll, pass an interval: it stays the same.
 * A change of the object runs it earlier, and replaces the request.
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

/** The value of a run that did no work, or was given up. */
export class Skipped {
  readonly #because: string;

  constructor(because: string) {
    this.#because = because;
  }

  /** Why, as a short text that does not vary from run to run. */
  get because(): string {
    return this.#because;
  }
}

sharedByCopies({ Skipped });

/**
 * Returns what a run emits, as its last value, if it did no work, or was given up, because its key
 * is not for this replica.
 */
export function skipped(because: string): Skipped {
  return new Skipped(because);
}

/**
 * Returns true for a `TerminalError`, for an error whose `cause` is terminal, and for an
 * `AggregateError` of nothing but terminal errors.
 */
export function isTerminal(error: unknown, known = new Map<unknown, boolean>()): boolean {
  if (error instanceof TerminalError) return true;
  const decided = known.get(error);
  if (decided !== undefined) return decided;
  // While it is being decided, so that a chain of causes may run in circles.
  known.set(error, false);
  const { cause, errors } = madeOf(error);
  const areAll = errors.length > 0 && errors.every((each) => isTerminal(each, known));
  const decision = areAll || (cause !== undefined && isTerminal(cause, known));
  known.set(error, decision);
  return decision;
}

/**
 * Returns how long the server wants to be left alone, in milliseconds: the longest `Retry-After` in
 * an error, its causes, and the errors of an `AggregateError`. At most as long as a list waits.
 */
export function retryAfterOf(error: unknown): number {
  const seen = new Set([error]);
  let longest = 0;
  for (const each of seen) {
    if (each instanceof StatusError) longest = Math.max(longest, each.retryAfter ?? 0);
    const { cause, errors } = madeOf(each);
    for (const inner of [cause, ...errors]) seen.add(inner);
  }
  return Math.min(longest, listWatchDefaults.maxRetryAfter);
}

interface ErrorParts {
  readonly cause?: unknown;
  readonly errors: readonly unknown[];
}

/** Anything may be thrown, including objects whose getters throw. */
function madeOf(error: unknown): ErrorParts {
  try {
    const { cause, errors } = (error ?? {}) as { readonly cause?: unknown; readonly errors?: unknown };
    return { cause, errors: Array.isArray(errors) ? errors : [] };
  } catch {
    return { errors: [] };
  }
}
