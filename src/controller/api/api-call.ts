import { firstValueFrom, Observable } from 'rxjs';
import { onAbort } from '../../operators/on-abort.js';
import { callIsSent, madeCall, warnIfUnsent } from './unsent-calls.js';

/**
 * A request to the API server. It is sent again each time it is subscribed to or awaited, and has one answer.
 *
 * As an Observable it composes with operators and runs in virtual time. As a thenable it is awaited in an `async` function; `then`, `catch`
 * and `finally` send it at once and return a promise.
 *
 * **Guarantees**: nothing is sent before the call is subscribed to or awaited; unsubscribing, or aborting the `signal` that the call was
 * given, aborts the request. In development, a call that is garbage-collected before it was sent is reported as a warning of the process
 * (in a browser, of the console), once for each place that sends none of its calls; `docs/writing.md` has a lint rule that finds it earlier.
 * **Does not guarantee**: that an aborted write did not happen; the server may have carried it out already.
 *
 * @example
 * import { configMaps, type KubeClient } from 'rx-informers';
 * import { ignoreNotFound, resourceClient } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 *
 * const settings = await resourceClient(client, configMaps).get('web/settings').catch(ignoreNotFound);
 */
export class ApiCall<T> extends Observable<T> implements PromiseLike<T> {
  /** Sends the request, as `await` does; `Promise.prototype.then` of its answer. */
  then<Fulfilled = T, Rejected = never>(
    onFulfilled?: ((value: T) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return firstValueFrom(this).then(onFulfilled, onRejected);
  }

  /** Sends the request; `Promise.prototype.catch` of its answer. */
  catch<Rejected = never>(
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<T | Rejected> {
    return firstValueFrom(this).catch(onRejected);
  }

  /** Sends the request; `Promise.prototype.finally` of its answer. */
  finally(onFinally?: (() => void) | null): Promise<T> {
    return firstValueFrom(this).finally(onFinally);
  }
}

/** Makes a call of an Observable with one value; a signal that is aborted ends it with the signal's reason. */
export function apiCall<T>(call$: Observable<T>, signal?: AbortSignal): ApiCall<T> {
  const answer$ = untilAborted(call$, signal);
  const made = madeCall();
  if (made === undefined) return new ApiCall((subscriber) => answer$.subscribe(subscriber));
  const call = new ApiCall<T>((subscriber) => {
    callIsSent(made);
    return answer$.subscribe(subscriber);
  });
  warnIfUnsent(call, made);
  return call;
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
