import { listWatchDefaults } from '../../sources/list-watch-options.js';
import { StatusError } from '../../sources/source-error.js';
import { TerminalError } from './terminal-error.js';

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

/** Anything may be thrown, also what throws when it is read. */
function madeOf(error: unknown): ErrorParts {
  try {
    const { cause, errors } = (error ?? {}) as { readonly cause?: unknown; readonly errors?: unknown };
    return { cause, errors: Array.isArray(errors) ? errors : [] };
  } catch {
    return { errors: [] };
  }
}
