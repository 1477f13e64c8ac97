import { sharedByCopies, invalidOptionError } from '../../kubernetes/errors.js';
import { listWatchDefaults } from '../../sources/list-watch-options.js';
import { StatusError } from '../../sources/model/errors.js';
import { TerminalError } from '../queue/errors.js';

/** Options of `requeueAfter`. */
export interface RequeueAfterOptions {
  /**
   * Of the next run. Default: of this run. Higher runs first, so with `lowPriority` changed keys
   * run before this one. If the key is added meanwhile, the higher priority counts.
   */
  readonly priority?: number | undefined;
}

/** A request to run again, made by `requeueAfter`. */
export class RequeueAfter {
  /** `undefined` means the priority of the run that returned this request. */
  readonly priority: number | undefined;

  constructor(
    /** The delay in milliseconds. */
    readonly delay: number,
    { priority }: RequeueAfterOptions = {},
  ) {
    if (!(Number.isFinite(delay) && delay >= 0)) {
      throw invalidOptionError('the delay of requeueAfter', delay, 'at least 0 ms');
    }
    if (priority !== undefined && !Number.isFinite(priority)) {
      throw invalidOptionError('the priority of requeueAfter', priority, 'a finite number');
    }
    this.priority = priority;
  }
}

sharedByCopies({ RequeueAfter });

/**
 * Creates a request to run the same key again in `delay` milliseconds. A run returns or emits this
 * request. If a run emits several requests, the earliest request wins.
 *
 * | `delay` | the next run | failures of the key |
 * | --- | --- | --- |
 * | more than 0 | after `delay` milliseconds | forgotten |
 * | 0 | after the wait of the rate limiter, as for a failure: 5 ms, then 10 ms, 20 ms, … | forgotten when a run has another result |
 *
 * Use 0 for work in steps, like controller-runtime's `Requeue: true`. To poll, pass an interval; it
 * stays the same for each run. If the key is added earlier, it runs at once, and the request is
 * dropped.
 *
 * @param delay the delay in milliseconds
 * @param options the priority of the next run
 * @returns the request, for the queue; it is not a result of the run
 * @throws `RXI_INVALID_OPTION` if `delay` is not a finite number of at least 0, or `priority` is
 *   not a finite number; inside a run, this error makes the run fail
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

  /** The reason, as a short text that does not vary from run to run. */
  get because(): string {
    return this.#because;
  }
}

sharedByCopies({ Skipped });

/** Ends a run without work, or given up, as its key belongs to another replica. */
export function skipped(because: string): Skipped {
  return new Skipped(because);
}

/** True for a `TerminalError`, also as `cause`, and an `AggregateError` of terminal errors only. */
export function isTerminal(error: unknown, known = new Map<unknown, boolean>()): boolean {
  if (error instanceof TerminalError) return true;
  const decided = known.get(error);
  if (decided !== undefined) return decided;
  // A preliminary result, for chains of causes that contain a cycle.
  known.set(error, false);
  const { cause, errors } = madeOf(error);
  const areAll = errors.length > 0 && errors.every((each) => isTerminal(each, known));
  const decision = areAll || (cause !== undefined && isTerminal(cause, known));
  known.set(error, decision);
  return decision;
}

/**
 * Returns the milliseconds that the server asked clients to wait: the longest `Retry-After` in an
 * error, its causes and its errors, limited to the default `maxRetryAfter` of lists.
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

/** Any value may be thrown, even an object whose getters throw. */
function madeOf(error: unknown): ErrorParts {
  try {
    const { cause, errors } = (error ?? {}) as { readonly cause?: unknown; readonly errors?: unknown };
    return { cause, errors: Array.isArray(errors) ? errors : [] };
  } catch {
    return { errors: [] };
  }
}
