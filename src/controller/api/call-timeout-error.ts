import { RxInformersError } from '../../kubernetes/rx-informers-error.js';
import { BehaviorSubject, map, merge, NEVER, switchMap, take, timer, type Observable, type SchedulerLike } from 'rxjs';
import type { KubeRequest } from '../../sources/client/kube-client.js';
import { requestLine } from '../../sources/client/request-line.js';
import type { RequestLine } from '../../sources/source-error.js';

/** The API server did not answer in time, and the request was aborted. A write may have been carried out all the same. */
export class CallTimeoutError extends RxInformersError {
  static override readonly code = 'RXI_CALL_TIMEOUT';
  override readonly name = 'CallTimeoutError';
  constructor(
    readonly request: RequestLine,
    /** Milliseconds. */
    readonly timeout: number,
  ) {
    super(`${request.method} ${request.url}: no answer within ${timeout} ms; the request was aborted`);
  }
}

/**
 * Sends a request and emits its answer. Throws a `CallTimeoutError` if the answer takes longer than `timeout`
 * milliseconds. The time that the request waits for its turn in the client does not count.
 */
export function answeredWithin<T>(
  request: KubeRequest,
  send: (request: KubeRequest) => Observable<T>,
  timeout: number,
  scheduler: SchedulerLike,
): Observable<T> {
  const isQueued$ = new BehaviorSubject(false);
  const onQueued = (isQueued: boolean): void => {
    isQueued$.next(isQueued);
  };
  const late$ = isQueued$.pipe(
    switchMap((isQueued) => (isQueued ? NEVER : timer(timeout, scheduler))),
    map((): T => {
      throw new CallTimeoutError(requestLine(request), timeout);
    }),
  );
  return merge(send({ ...request, onQueued }), late$).pipe(take(1));
}
