import { defer, from, map, mergeMap, pipe, takeUntil, throwError, type ObservableInput } from 'rxjs';
import { toBatch } from '../../sources/to-batch.js';
import { connectionReset } from '../marbles/marble-errors.js';
import type { Fault } from './fault.js';

/**
 * Makes the source itself fail, as `listWatch` never does and a source of somebody else may: whoever reads it has to subscribe again.
 *
 * | in | out |
 * | --- | --- |
 * | anything | the same |
 * | `notifier` emits | fails with `error`; the source is unsubscribed |
 * | `notifier` completes | nothing: the connection holds from then on |
 *
 * The notifier is subscribed to anew with each subscription, just before the source.
 *
 * @param error default a `ConnectionError`: the connection was reset
 * @example
 * const everySecond = watchMarbles('L(a)', { a: aPod({ name: 'a' }) }).pipe(dropConnection(timer(1000)));
 */
export function dropConnection<T>(notifier: ObservableInput<unknown>, error: unknown = connectionReset()): Fault<T> {
  // `takeUntil` passes an error of its notifier on, after it has unsubscribed from the source.
  const dropped$ = defer(() => from(notifier)).pipe(mergeMap(() => throwError(() => error)));
  return pipe(map(toBatch), takeUntil(dropped$));
}
