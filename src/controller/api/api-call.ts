import { firstValueFrom, Observable } from 'rxjs';
import { onAbort } from '../../operators/on-abort.js';

/**
 * One request to the API server, which is made when it is subscribed to or awaited, each time anew, and has one answer.
 *
 * As an Observable it composes and runs in virtual time; as a thenable it is awaited in an `async` function.
 *
 * **Guarantees**: nothing is sent before somebody subscribes or awaits; unsubscribing, or aborting the `signal` that the call was
 * given, aborts the request.
 * **Does not guarantee**: that an aborted write did not happen; the server may have carried it out already.
 *
 * @example
 * import { configMaps, type KubeClient } from 'rx-informers';
 * import { resourceClient } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 *
 * const settings = await resourceClient(client, configMaps).get('web/settings');
 */
export class ApiCall<T> extends Observable<T> implements PromiseLike<T> {
  then<Fulfilled = T, Rejected = never>(
    onFulfilled?: ((value: T) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return firstValueFrom(this).then(onFulfilled, onRejected);
  }
}

/** Makes a call of an Observable with one value; a signal that is aborted ends it with the signal's reason. */
export function apiCall<T>(call$: Observable<T>, signal?: AbortSignal): ApiCall<T> {
  const aborted$ = untilAborted(call$, signal);
  return new ApiCall((subscriber) => aborted$.subscribe(subscriber));
}

/** Mirrors `source$`, and errors with the reason of the signal when that is aborted. */
export function untilAborted<T>(source$: Observable<T>, signal: AbortSignal | undefined): Observable<T> {
  if (signal === undefined) return source$;
  return new Observable((subscriber) => {
    const abortion = onAbort(signal, () => {
      subscriber.error(signal.reason);
    });
    if (subscriber.closed) return undefined;
    subscriber.add(abortion);
    return source$.subscribe(subscriber);
  });
}
