import { switchMap, timer } from 'rxjs';
import { millisecondsOf } from './count-of.js';
import type { ServerFault } from './server-fault.js';

/**
 * Waits before the request is looked at; the answer is that of the later time.
 *
 * @param milliseconds on the server's scheduler; throws `RangeError` unless at least 0
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.always('list', delay(250));
 */
export function delay(milliseconds: number): ServerFault {
  const wait = millisecondsOf('milliseconds', milliseconds);
  return {
    name: `delay(${wait})`,
    intercept: (request, next, { scheduler }) => timer(wait, scheduler).pipe(switchMap(() => next(request))),
  };
}
