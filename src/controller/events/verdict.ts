import { ResourcePathError } from '../../kubernetes/resource-path.js';
import { listWatchDefaults } from '../../sources/list-watch-options.js';
import { StatusError } from '../../sources/source-error.js';

/** What follows from the failure of one try to write an event (E6). */
export type Verdict =
  /** `after`: milliseconds that the API server asked for. */
  { readonly type: 'retry'; readonly after: number | undefined } | { readonly type: 'refused' | 'written' };

/** E6: how often one write is tried. */
export const maxTries = 12;

/** E6: milliseconds between two tries; before the second one, a random part of it. */
const interval = 10_000;

/**
 * E6: what did not reach the API server is tried again; what it refused is not, for it would refuse it again.
 *
 * As client-go's transport does for all requests, a refusal that says when to come back (429, 503 with `Retry-After`) is heeded.
 */
export function verdictOf(error: unknown, { isSeries, isRetry }: { isSeries: boolean; isRetry: boolean }): Verdict {
  if (error instanceof ResourcePathError) return { type: 'refused' };
  if (!(error instanceof StatusError)) return { type: 'retry', after: undefined };
  if (error.reason === 'AlreadyExists') {
    // E7: the series was created meanwhile, and can be patched. A single event was created by the try before, whose answer was lost.
    if (isSeries) return { type: 'retry', after: undefined };
    return { type: isRetry ? 'written' : 'refused' };
  }
  if (error.retryAfter !== undefined) return { type: 'retry', after: error.retryAfter };
  return { type: 'refused' };
}

/** Returns how long to wait after `tries` tries, in milliseconds. The cap of `Retry-After` is that of `listWatch`. */
export function waitAfter(tries: number, after: number | undefined, random: () => number): number {
  if (after !== undefined) return Math.min(after, listWatchDefaults.maxRetryAfter);
  // Not all clients at once, when a server comes back.
  return tries === 1 ? Math.floor(random() * interval) : interval;
}
